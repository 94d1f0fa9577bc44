#!/usr/bin/env python3
"""Refuses include lines that break the order of the rooms.

Usage: check_layers.py [--root DIR] [--self-test]

ROOMS below is the table. docs/architecture.md shows the same one to people, and
this script compares the two. It reads every .h and .cpp file of the source
folders and refuses

  - an include of a room that the table does not allow,
  - an include that is not rooted at the repository ("Scop.h" instead of
    "compiler/poly/Scop.h"), and a room that is not in the table,
  - headers of LLVM, MLIR, fmt or isl where the table does not name them;
    isl reaches no room but compiler/poly, not through its headers either,
  - CUDA's own headers, anywhere: the driver is loaded at run time,
  - getenv outside GETENV_FILES,
  - lines of more than 80 columns, files of more than 900 lines.

Files of more than 500 lines draw a warning. Exit status: 0 clean, 1 refused.
"""

import argparse
import os
import re
import sys
import tempfile
from collections import namedtuple

Room = namedtuple("Room", "level rooms libraries")
Finding = namedtuple("Finding", "path line message is_warning")

# Room: its level, the rooms it may include besides itself, the libraries.
# "llvm-support" is llvm/ADT and llvm/Support; "llvm" is all of LLVM.
ROOMS = {
    "compiler/support": Room(0, [], ["fmt", "llvm-support"]),
    "compiler/target": Room(0, [], []),
    "compiler/arith": Room(0, [], []),
    "compiler/artifact": Room(0, [], []),
    "compiler/layout": Room(0, [], []),
    "compiler/frontend": Room(1, ["compiler/support"], ["fmt"]),
    "compiler/poly": Room(1, ["compiler/support"], ["isl"]),
    "dialects/te": Room(1, ["compiler/arith"], ["llvm", "mlir"]),
    "dialects/tile": Room(1, ["compiler/layout"], ["llvm", "mlir"]),
    "runtime": Room(
        1, ["compiler/arith", "compiler/artifact", "compiler/target"], []
    ),
    "runtime/sim": Room(
        2,
        [
            "compiler/arith",
            "compiler/artifact",
            "compiler/layout",
            "compiler/target",
            "runtime",
        ],
        [],
    ),
    "compiler/cost": Room(
        2,
        ["compiler/layout", "compiler/poly", "compiler/target"],
        [],
    ),
    "compiler/mlirgen": Room(
        2,
        [
            "compiler/arith",
            "compiler/frontend",
            "compiler/support",
            "dialects/te",
        ],
        ["fmt", "llvm", "mlir"],
    ),
    "compiler/reference": Room(
        2,
        ["compiler/arith", "compiler/artifact", "dialects/te"],
        ["llvm", "mlir"],
    ),
    "passes/te": Room(3, ["compiler/arith", "dialects/te"], ["llvm", "mlir"]),
    "passes/scop": Room(
        3,
        ["compiler/arith", "compiler/poly", "dialects/te"],
        ["llvm", "mlir"],
    ),
    "passes/schedule": Room(
        3,
        [
            "compiler/frontend",
            "compiler/layout",
            "compiler/poly",
            "compiler/support",
            "compiler/target",
        ],
        [],
    ),
    "passes/order": Room(
        4,
        [
            "compiler/artifact",
            "compiler/poly",
            "compiler/reference",
            "dialects/te",
            "passes/scop",
        ],
        ["llvm", "mlir"],
    ),
    "passes/tile": Room(
        4,
        [
            "compiler/artifact",
            "compiler/layout",
            "compiler/poly",
            "dialects/te",
            "dialects/tile",
            "passes/scop",
        ],
        ["llvm", "mlir"],
    ),
    "passes/codegen": Room(
        4,
        [
            "compiler/artifact",
            "compiler/layout",
            "compiler/target",
            "dialects/te",
            "dialects/tile",
        ],
        ["llvm", "mlir"],
    ),
    "compiler/pipeline": Room(5, ["every room below"], ["fmt", "llvm", "mlir"]),
    "tools/girih": Room(6, ["every room below"], ["fmt", "llvm", "mlir"]),
    "tools/girih-opt": Room(6, ["every room below"], ["llvm", "mlir"]),
}

SOURCE_FOLDERS = ["compiler", "dialects", "passes", "runtime", "tools"]
ROOM_PARENTS = ["compiler", "dialects", "passes", "tools"]

# The only files that may read the environment (docs/cli.md, "Environment").
GETENV_FILES = ["tools/girih/Console.cpp"]

MAX_COLUMNS = 80
MAX_LINES = 900
MANY_LINES = 500

TABLE_BEGIN = "<!-- rooms:begin -->"
TABLE_END = "<!-- rooms:end -->"

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
GETENV = re.compile(r"\b(?:secure_)?getenv\s*\(")


def room_of(path):
    """The room that a path rooted at the repository lies in, or None."""
    parts = path.split("/")
    if parts[0] == "runtime" and len(parts) > 1:
        inner = "/".join(parts[:2])
        return inner if inner in ROOMS and len(parts) > 2 else "runtime"
    if parts[0] in ROOM_PARENTS and len(parts) > 2:
        return "/".join(parts[:2])
    return None


def allowed_rooms(name):
    room = ROOMS[name]
    if room.rooms == ["every room below"]:
        return [other for other, r in ROOMS.items() if r.level < room.level]
    return room.rooms


def library_of(header):
    """What the table calls a header's library; None for the standard one."""
    if header.startswith(("llvm/ADT/", "llvm/Support/")):
        return "llvm-support"
    if header.startswith(("llvm/", "llvm-c/")):
        return "llvm"
    if header.startswith(("mlir/", "mlir-c/")):
        return "mlir"
    if header.startswith("isl/"):
        return "isl"
    if header.startswith("fmt/"):
        return "fmt"
    if re.match(r"(cuda|nvrtc|nvJitLink|cudart|driver_types)", header):
        return "cuda"
    return None


def source_files(root):
    for folder in SOURCE_FOLDERS:
        for directory, subfolders, names in os.walk(os.path.join(root, folder)):
            subfolders.sort()
            for name in sorted(names):
                if name.endswith((".h", ".cpp")):
                    full = os.path.join(directory, name)
                    yield os.path.relpath(full, root).replace(os.sep, "/")


def read_lines(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read().splitlines()


def includes_of(lines):
    """(line number, header) of every include line."""
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(2)


def headers_with_isl(sources):
    """The headers that include isl, directly or through others."""
    found = set()
    while True:
        more = {
            path
            for path, lines in sources.items()
            if path.endswith(".h")
            and path not in found
            and any(
                library_of(header) == "isl" or header in found
                for _, header in includes_of(lines)
            )
        }
        if not more:
            return found
        found |= more


def check_include(path, header, isl_headers):
    """What is wrong with `#include header` in `path`, or None."""
    room = room_of(path)
    library = library_of(header)
    if library == "cuda":
        return (
            f"'{header}' is CUDA's own: declare what is needed in "
            "runtime/CudaDriverApi.h, the driver is loaded at run time"
        )
    if library:
        named = ROOMS[room].libraries
        if library in named or (library == "llvm-support" and "llvm" in named):
            return None
        owner = " (only compiler/poly may)" if library == "isl" else ""
        return f"{room} may not include {library}: '{header}'{owner}"
    target = room_of(header)
    if target is None:
        return None
    if target == room:
        return None
    if target not in ROOMS:
        return f"'{header}' is in no room of the table"
    if header in isl_headers:
        return f"'{header}' brings in isl: it is private to compiler/poly"
    if target not in allowed_rooms(room):
        names = ", ".join(allowed_rooms(room)) or "no other room"
        return f"{room} may not include {target}: '{header}' (it may: {names})"
    return None


def check_file(path, lines, isl_headers):
    findings = []

    def add(line, message, is_warning=False):
        findings.append(Finding(path, line, message, is_warning))

    room = room_of(path)
    if room not in ROOMS:
        add(1, f"'{room or path}' is no room of the table in this script")
        return findings
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match:
            quote, header = match.groups()
            if quote == '"' and "/" not in header:
                add(number, f"'{header}' is not rooted at the repository")
            else:
                problem = check_include(path, header, isl_headers)
                if problem:
                    add(number, problem)
        if len(line) > MAX_COLUMNS:
            add(number, f"{len(line)} columns, the limit is {MAX_COLUMNS}")
        if GETENV.search(line) and path not in GETENV_FILES:
            add(number, "reads the environment: only "
                + ", ".join(GETENV_FILES) + " may")
    if len(lines) > MAX_LINES:
        add(len(lines), f"{len(lines)} lines, the limit is {MAX_LINES}")
    elif len(lines) > MANY_LINES:
        add(len(lines), f"{len(lines)} lines, aim at {MANY_LINES}", True)
    return findings


def table_rows():
    """The table as docs/architecture.md has to show it."""
    rows = []
    for name, room in ROOMS.items():
        what = room.rooms + room.libraries
        rows.append((str(room.level), name, ", ".join(what) or "std"))
    return rows


def page_rows(text):
    """(level, room, may include) of the rows between the page's markers."""
    begin, end = text.find(TABLE_BEGIN), text.find(TABLE_END)
    if begin < 0 or end < begin:
        return None
    rows = []
    for line in text[begin:end].splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) >= 3 and cells[0].isdigit():
            rows.append((cells[0], cells[1].strip("`"), cells[-1]))
    return rows


def check_page(root):
    path = "docs/architecture.md"
    full = os.path.join(root, path)
    if not os.path.exists(full):
        return [Finding(path, 1, "the page is missing", False)]
    with open(full, encoding="utf-8") as file:
        rows = page_rows(file.read())
    if rows is None:
        message = f"no table between {TABLE_BEGIN} and {TABLE_END}"
        return [Finding(path, 1, message, False)]
    findings = []
    for row in table_rows():
        if row not in rows:
            message = "the table of rooms lacks the row: " + " | ".join(row)
            findings.append(Finding(path, 1, message, False))
    for row in rows:
        if row not in table_rows():
            message = "this row is not in check_layers.py: " + " | ".join(row)
            findings.append(Finding(path, 1, message, False))
    return findings


def check_tree(root):
    sources = {path: read_lines(root, path) for path in source_files(root)}
    isl_headers = headers_with_isl(sources)
    findings = []
    for path, lines in sources.items():
        findings += check_file(path, lines, isl_headers)
    return findings + check_page(root)


def report(findings):
    """Prints the findings; the number of refusals."""
    refusals = 0
    for finding in findings:
        kind = "warning" if finding.is_warning else "error"
        refusals += not finding.is_warning
        print(f"{finding.path}:{finding.line}: {kind}: {finding.message}")
    return refusals


# ---------------------------------------------------------------------------
# Self-test: every rule must refuse a file made to break it.
# ---------------------------------------------------------------------------

# (path, text, words of the one refusal expected; None: clean)
SAMPLES = [
    ("compiler/frontend/A.cpp", '#include "compiler/support/D.h"\n', None),
    ("compiler/frontend/B.cpp", '#include "compiler/poly/Scop.h"\n',
     "compiler/frontend may not include compiler/poly"),
    ("compiler/frontend/C.cpp", '#include "mlir/IR/Value.h"\n',
     "compiler/frontend may not include mlir"),
    ("compiler/target/A.cpp", "#include <vector>\n", None),
    ("compiler/target/B.cpp", '#include "llvm/ADT/StringRef.h"\n',
     "compiler/target may not include llvm-support"),
    ("compiler/support/A.cpp", '#include "llvm/Support/JSON.h"\n', None),
    ("compiler/support/B.cpp", '#include "llvm/IR/Module.h"\n',
     "compiler/support may not include llvm"),
    ("compiler/poly/Scop.h", "#include <string>\n", None),
    ("compiler/poly/Isl.h", "#include <isl/cpp.h>\n", None),
    ("compiler/poly/Model.h", '#include "compiler/poly/Isl.h"\n', None),
    ("passes/schedule/A.cpp", '#include "compiler/poly/Scop.h"\n', None),
    ("passes/schedule/B.cpp", "#include <isl/set.h>\n",
     "only compiler/poly may"),
    ("passes/schedule/C.cpp", '#include "compiler/poly/Model.h"\n',
     "brings in isl"),
    ("passes/schedule/D.cpp", '#include "dialects/te/Te.h"\n',
     "passes/schedule may not include dialects/te"),
    ("runtime/A.cpp", '#include "compiler/artifact/Artifact.h"\n', None),
    ("runtime/B.cpp", '#include "compiler/support/Diagnostics.h"\n',
     "runtime may not include compiler/support"),
    ("runtime/C.cpp", "#include <cuda.h>\n", "is CUDA's own"),
    ("runtime/sim/A.cpp", '#include "runtime/Plan.h"\n', None),
    ("runtime/A2.cpp", '#include "runtime/sim/Simulator.h"\n',
     "runtime may not include runtime/sim"),
    ("runtime/D.cpp", "#include <fmt/format.h>\n",
     "runtime may not include fmt"),
    ("runtime/E.cpp", 'auto v = std::getenv("HOME");\n',
     "reads the environment"),
    ("runtime/F.cpp", "std::fegetenv(&saved);\n", None),
    ("compiler/pipeline/A.cpp", '#include "passes/te/Passes.h"\n', None),
    ("compiler/pipeline/B.cpp", '#include "tools/girih/Main.h"\n',
     "compiler/pipeline may not include tools/girih"),
    ("tools/girih/Console.cpp", 'std::getenv("NO_COLOR");\n', None),
    ("passes/te/A.cpp", '#include "Passes.h"\n', "not rooted"),
    ("passes/te/B.cpp", "//" + "x" * 79 + "\n", "81 columns"),
    ("passes/te/C.cpp", "//" + "x" * 78 + "\n", None),
    ("passes/te/D.cpp", "\n" * 901, "901 lines, the limit is 900"),
    ("passes/te/E.cpp", "\n" * 900, None),
    ("compiler/attic/A.cpp", "\n", "is no room of the table"),
    ("passes/te/F.cpp", '#include "compiler/attic/A.h"\n',
     "is in no room of the table"),
]


def good_page():
    rows = ["| level | room | may include |", "|---|---|---|"]
    rows += [f"| {level} | `{room}` | {what} |"
             for level, room, what in table_rows()]
    return "\n".join([TABLE_BEGIN, *rows, TABLE_END]) + "\n"


def write(root, path, text):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as file:
        file.write(text)


def self_test():
    failures = []
    with tempfile.TemporaryDirectory() as root:
        for path, text, _ in SAMPLES:
            write(root, path, text)
        write(root, "docs/architecture.md", good_page())
        findings = [f for f in check_tree(root) if not f.is_warning]
        for path, _, words in SAMPLES:
            mine = [f.message for f in findings if f.path == path]
            if words is None and mine:
                failures.append(f"{path}: refused though clean: {mine}")
            elif words and (len(mine) != 1 or words not in mine[0]):
                failures.append(f"{path}: expected '{words}', got {mine}")
        if [f for f in findings if f.path.startswith("docs/")]:
            failures.append("a page that shows the table was refused")

        page = good_page().replace("| `runtime` |", "| `runtimes` |")
        write(root, "docs/architecture.md", page)
        messages = [f.message for f in check_page(root)]
        if (len(messages) != 2 or "lacks the row" not in messages[0]
                or "not in check_layers.py" not in messages[1]):
            failures.append(f"a wrong row of the page: got {messages}")
        write(root, "docs/architecture.md", "nothing\n")
        if not check_page(root):
            failures.append("a page without the table was accepted")
    for name, room in ROOMS.items():
        for other in allowed_rooms(name):
            if ROOMS[other].level >= room.level:
                failures.append(f"the table lets {name} include {other}, "
                                "which is not below it")
    for failure in failures:
        print("self-test:", failure)
    print(f"self-test: {len(SAMPLES) + 3} cases, {len(failures)} failed")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--root", default=os.path.join(here, "..", ".."))
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    refusals = report(check_tree(options.root))
    print(f"layers: {refusals} refused" if refusals else "layers: clean")
    return 1 if refusals else 0


if __name__ == "__main__":
    sys.exit(main())
