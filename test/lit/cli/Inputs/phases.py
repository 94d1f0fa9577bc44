"""phases.py FILE.te [flags]: prints every phase of a program, reads each text
back and compares what comes out: the same form again, and the same PTX. A
schedule that was read back has no reasons, since nothing chose it: there alone
the reports in the plan may differ.
"""

import re
import subprocess
import sys

PHASES = "ast te assoc scop schedule tile llvm ptx".split()
source, flags = sys.argv[1], sys.argv[2:]


def girih(arguments, text=None):
    done = subprocess.run(
        ["girih", "compile", *arguments], input=text, capture_output=True
    )
    if done.returncode != 0:
        sys.exit(f"{arguments}: exit {done.returncode}\n{done.stderr.decode()}")
    if done.stderr:
        sys.exit(f"{arguments}: unexpected words\n{done.stderr.decode()}")
    return done.stdout


def without_reasons(plan_and_ptx):
    return re.sub(
        rb"reports = \[.*?\], workspace =", b"reports = [], workspace =", plan_and_ptx
    )


ptx = girih([source, "--emit=ptx", *flags])
if girih([source, "--emit=ptx", *flags]) != ptx:
    sys.exit("two compiles of one text differ")
def without_lines(ptx):
    """Lines of the program: those of a form that was read are its own."""
    lines = ptx.splitlines()
    return [line for line in lines if not line.startswith((b"\t.loc", b"\t.file"))]


for phase in PHASES:
    text = girih([source, f"--emit={phase}", *flags])
    if len(text) < 40:
        sys.exit(f"{phase}: only {text!r}")
    # The source's flags are part of what follows from the tree.
    more = flags if phase == "ast" else []
    if girih(["-", f"--from={phase}", f"--emit={phase}", *more], text) != text:
        sys.exit(f"{phase}: read back and printed, the text differs")
    again = girih(["-", f"--from={phase}", "--emit=ptx", *more], text)
    expected = ptx
    if phase == "schedule":
        again, expected = without_reasons(again), without_reasons(ptx)
    if without_lines(again) != without_lines(expected):
        sys.exit(f"{phase}: read back, it gives other PTX")
    print(f"{phase}: {len(text.splitlines())} lines, the same PTX")
