"""drop_barriers.py FILE.te SIZES...: takes one barrier after the other out of a
program's kernels. For at least one of the sizes, which between them have to run
every variant, the simulator must miss it. Prints how many there were.
"""

import subprocess
import sys

source, sizes = sys.argv[1], sys.argv[2:]


def girih(arguments, text=None):
    return subprocess.run(
        ["girih", *arguments], input=text, capture_output=True, text=True
    )


def run(text, size):
    flags = ["--from=ptx", "--device=sim", "--dynamic", f"-D{size}"]
    return girih(["run", "-", *flags], text)


def is_missed(text, size):
    result = run(text, size)
    if result.returncode == 0:
        return False
    words = ("data race", "read of uninitialised memory")
    if "G1014" not in result.stderr or not any(w in result.stderr for w in words):
        sys.exit(f"{size}: exit {result.returncode}\n{result.stderr}")
    return True


lines = girih(["compile", source, "--emit=ptx"]).stdout.splitlines(True)
for size in sizes:
    whole = run("".join(lines), size)
    if whole.returncode != 0:
        sys.exit(f"{size}, every barrier: {whole.returncode}\n{whole.stderr}")
count = 0
for at, line in enumerate(lines):
    if not line.strip().startswith("bar.sync"):
        continue
    count += 1
    text = "".join(lines[:at] + lines[at + 1 :])
    if not any(is_missed(text, size) for size in sizes):
        sys.exit(f"nothing is wrong without the barrier of line {at + 1}")
if count == 0:
    sys.exit("there is no barrier")
print(f"{count} barriers, each of them needed")
