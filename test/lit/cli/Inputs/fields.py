"""fields.py PATH=VALUE...: reads JSON from standard input, which must hold
nothing else, and compares entries: `fields.py sets.0.sizes.M=3 passed=true`. A
bare PATH only has to exist.
"""

import json
import sys


def refuse(constant):
    raise ValueError(f"{constant} is no JSON")


document = json.load(sys.stdin, parse_constant=refuse)
for wanted in sys.argv[1:]:
    path, equal, value = wanted.partition("=")
    entry = document
    for key in path.split("."):
        entry = entry[int(key)] if isinstance(entry, list) else entry[key]
    if equal and entry != json.loads(value):
        sys.exit(f"{path} is {entry!r}, expected {value}")
