#!/usr/bin/env python3
"""Fills the section of docs/architecture.md that shows every text form.

Usage: update_forms.py [--check] [--compiler "build/bin/girih compile"]

Runs the compiler on examples/ffn_silu.te once for each phase and writes what
it prints, trimmed, between <!-- forms:begin --> and <!-- forms:end -->. With
--check nothing is written, and the exit status is 1 where the page differs.
"""

import argparse
import difflib
import os
import re
import shlex
import subprocess
import sys

PAGE = "docs/architecture.md"
EXAMPLE = "examples/ffn_silu.te"
BEGIN, END = "<!-- forms:begin -->", "<!-- forms:end -->"
MAX_COLUMNS = 110
LAYOUT = re.compile(r'"\[[^"]*\] r\([^"]*\) t\([^"]*\)"')
INDEX_OP = re.compile(r"^\s*%\S+ = arith\.")


def section(text, name):
    """The section `=== name` of a bundle."""
    match = re.search(rf"^=== {name}\n(.*?)(?=^=== |\Z)", text, re.M | re.S)
    if not match:
        raise SystemExit(f"the text has no section '{name}'")
    return match.group(1)


def cut(lines, most):
    """The first `most` lines, and how many more there are."""
    if len(lines) <= most:
        return lines
    return lines[:most] + [f"... {len(lines) - most} more lines"]


def narrow(line):
    if len(line) <= MAX_COLUMNS:
        return line
    return line[: MAX_COLUMNS - 4].rstrip() + " ..."


def first_kernel(lines, opening, most):
    """From the first line that matches `opening` on."""
    for number, line in enumerate(lines):
        if re.search(opening, line):
            return cut(lines[number:], most)
    raise SystemExit(f"the text has no line like '{opening}'")


def body_of(lines, opening):
    """The block that the first line matching `opening` starts, by indents."""
    start = next(n for n, line in enumerate(lines) if re.search(opening, line))
    indent = len(lines[start]) - len(lines[start].lstrip())
    end = start + 1
    while end < len(lines) and not (
        lines[end].startswith(" " * indent + "}")
    ):
        end += 1
    return [line[indent:] for line in lines[start : end + 1]]


def around(lines, pattern, before, after):
    """Lines around the first one that matches."""
    for number, line in enumerate(lines):
        if pattern.search(line):
            start = max(0, number - before)
            return ["..."] + lines[start : number + after] + ["..."]
    raise SystemExit(f"the text has no line like '{pattern.pattern}'")


def abbreviate(lines):
    """Layouts by short names, which are explained on top."""
    names = {}

    def short(match):
        return names.setdefault(match.group(0), f"L{len(names) + 1}")

    lines = [LAYOUT.sub(short, line) for line in lines]
    return [f"{name} = {text}" for text, name in names.items()] + lines


def trim_tile(text):
    # Less the plan, which is an attribute on the module's own line.
    lines = body_of(text.splitlines(), r"tile\.kernel")
    return abbreviate([line for line in lines if not INDEX_OP.match(line)])


def trim_ptx(text):
    lines = text.splitlines()
    plan = next(line for line in lines if line.startswith("// girih.plan: "))
    entry = first_kernel(lines, r"\.entry", 14)[:14]
    inner = around(lines, re.compile(r"\bfma\.rn\.f32\b"), 3, 10)
    return [plan, "..."] + entry + inner


# (phase, what the reader sees, how its text is trimmed)
PHASES = [
    ("ast", "text",
     "The program in the one style, with names, types and ranges resolved.",
     lambda text: text.splitlines()),
    ("te", "mlir",
     "One op per operation of the text. The reduction has a tensor of its own "
     "and no order yet; `silu` is inlined, so its roundings can be seen.",
     lambda text: text.splitlines()),
    ("assoc", "mlir",
     "The reduction has its term and its leaf: one chain over k, a fused "
     "multiply-add a step. `C` had one reader and is computed in place; its "
     "rounding to bf16 stays. Here the first of the two tensors.",
     lambda text: body_of(text.splitlines(), r"te\.compute")),
    ("scop", "text",
     "The term as statements: a cell starts at +0.0 (`init`), takes one product "
     "after the other (`upd`) and is handed over (`merge`).",
     lambda text: section(text, "scop").splitlines()),
    ("schedule", "text",
     "One kernel of 256 threads. The tile of C is finished before `Y_map` acts "
     "on it, in the registers where it was summed.",
     lambda text: section(text, "schedule").splitlines()),
    ("tile", "mlir",
     "What one block does, in the variant for aligned tensors. Left out here: "
     "index arithmetic; layouts have short names. k's tail is filled so that "
     "each product is -0.0.",
     lambda text: cut(trim_tile(text), 90)),
    ("llvm", "mlir",
     "MLIR's llvm and nvvm dialects, mostly straight code; "
     "here the activation of one element: C's rounding, then `exp` by `ex2` "
     "with its compensation.",
     lambda text: around(text.splitlines(), re.compile("llvm.fptrunc"), 0,
                         23)),
    ("ptx", "text",
     "PTX, with the launch plan in the first line: the kernel's entry, and the "
     "place around the first fused multiply-add.",
     trim_ptx),
]


def run_phase(compiler, phase, root):
    command = shlex.split(compiler) + [EXAMPLE, f"--emit={phase}"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode != 0:
        sys.stderr.write(done.stderr)
        raise SystemExit(f"'{shlex.join(command)}' ended with "
                         f"{done.returncode}")
    return done.stdout


def render(compiler, root):
    parts = []
    for phase, language, comment, trim in PHASES:
        lines = trim(run_phase(compiler, phase, root))
        text = "\n".join(narrow(line.rstrip()) for line in lines).strip("\n")
        parts.append(f"**`--emit={phase}`.** {comment}\n\n"
                     f"```{language}\n{text}\n```\n")
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--compiler", default="build/bin/girih compile")
    options = parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.abspath(os.path.join(here, "..", ".."))
    path = os.path.join(root, PAGE)
    with open(path, encoding="utf-8") as file:
        page = file.read()
    begin, end = page.find(BEGIN), page.find(END)
    if begin < 0 or end < begin:
        raise SystemExit(f"{PAGE} has no {BEGIN} ... {END}")
    forms = render(options.compiler, root)
    wanted = f"{page[:begin]}{BEGIN}\n{forms}{page[end:]}"
    if wanted == page:
        print("forms: up to date")
        return 0
    if not options.check:
        with open(path, "w", encoding="utf-8") as file:
            file.write(wanted)
        print(f"forms: {PAGE} updated")
        return 0
    sys.stdout.writelines(difflib.unified_diff(
        page.splitlines(True), wanted.splitlines(True), PAGE, "the compiler's"))
    print("forms: the page differs; run tools/docs/update_forms.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
