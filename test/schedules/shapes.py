#!/usr/bin/env python3
"""Other schedules of the examples: three that are legal, and the same bits.

Usage: shapes.py GIRIH [--device DEV] [--only WORD] [--keep DIR]

For every operator of examples/ it writes schedules of different shapes from
what `girih explain` says of its loops: loops split by odd factors, exchanged,
sent to the grid and to threads, statements fused or apart. Illegal ones are
refused, and the refusal must carry a code of its own kind; of the legal ones
the first three with different trees are checked against the host, bit for bit,
at a few small sizes. Then the schedule that nobody wrote is printed as
directives, compiled from them, and must give the same tree again.
Exit status: 0 when every operator has three and all agree, 77 where the device
is not there.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "gpu"))
sys.path.insert(0, os.path.join(ROOT, "test"))
import check_programs  # noqa: E402
import devices  # noqa: E402

# Codes with which a schedule may be refused: illegal, or not possible here.
REFUSED = re.compile(r"error\[G07(0[1-5]|2[1-9])\]")


def girih(args, *words):
    return subprocess.run([args.girih, *words], capture_output=True, text=True)


def tree_of(args, file, op, *words):
    done = girih(args, "compile", file, "--op", op, "--emit=schedule", *words)
    if done.returncode:
        return None, done.stderr
    return done.stdout[done.stdout.index("=== schedule"):], ""


def shape(tree):
    """The tree without what has no meaning: names of members, notes."""
    tree = re.sub(r"member \w+ ", "member _ ", tree)
    tree = re.sub(r"\b1@\d+:\d+(, )?", "", tree.replace(" permutable", ""))
    return tree.replace("loop coincident", "loop").replace(", )", ")")


def plans(loops, pairs):
    """Lists of directives, to be tried in turn."""
    nests = {}
    for loop in loops:
        nests.setdefault(loop["statements"], []).append(loop)
    first = {}  # the loops of each nest by the statement that names it
    for names, nest in nests.items():
        first[names.split(", ")[-1]] = nest
    owners = list(first)

    def each(make):
        return [line for owner in owners for line in make(owner, first[owner])]

    yield each(lambda owner, nest: [
        f"split {owner}.{nest[0]['loop']} by 3 -> s3o, s3i"])
    yield each(lambda owner, nest: [
        f"split {owner}.{nest[-1]['loop']} by 5 -> s5o, s5i"])
    for factor in (2, 4, 7):
        for owner in owners:
            for loop in first[owner]:
                yield [f"split {owner}.{loop['loop']} by {factor}"]
    for owner in owners:
        nest = first[owner]
        if len(nest) > 1:
            yield [f"interchange {owner}.{nest[0]['loop']}, "
                   f"{owner}.{nest[1]['loop']}"]
            yield [f"interchange {owner}.{nest[-2]['loop']}, "
                   f"{owner}.{nest[-1]['loop']}"]
        for loop in nest:
            if loop["parallel"]:
                yield [f"split {owner}.{loop['loop']} by 8 -> so, st",
                       f"map {owner}.st to thread"]
    for pair in pairs:
        if pair["sharedLoops"]:
            yield [f"fuse {pair['first']}, {pair['second']}"]
        yield [f"compute {pair['second']} root"]
    yield ["threads 32"]
    yield ["threads 64"]


def check_one(args, folder, path, op, sets):
    file = os.path.join(ROOT, path)
    name = f"{path}:{op}"
    explained = girih(args, "explain", file, "--op", op, "--json",
                      "--view=loops,fusion")
    if explained.returncode:
        return [f"{name}: explain: {explained.stderr.strip()}"]
    facts = json.loads(explained.stdout)
    faults, legal, refused = [], {}, 0
    safe = re.sub(r"\W", "_", name)
    for number, lines in enumerate(plans(facts["loops"], facts["fusion"])):
        if len(legal) == 3:
            break
        text = f"schedule {op} {{\n  " + "\n  ".join(lines) + "\n}\n"
        sched = f"{folder}/{safe}_{number}.sched"
        with open(sched, "w") as out:
            out.write(text)
        tree, errors = tree_of(args, file, op, "--schedule", sched)
        if tree is None:
            refused += 1
            if not REFUSED.search(errors):
                faults.append(f"{name}: refused in other words:\n{text}{errors}")
        elif shape(tree) not in legal:
            legal[shape(tree)] = sched
    if len(legal) < 3:
        faults.append(f"{name}: only {len(legal)} legal schedules, "
                      f"{refused} refused")
    for sched in legal.values():
        words = ["check", file, "--op", op, "--schedule", sched, "--dynamic",
                 f"--device={args.device}", "--functions=portable"]
        if any(sets):
            words += ["--sizes", check_programs.sizes_text(sets)]
        done = girih(args, *words)
        if done.returncode:
            with open(sched) as source:
                faults.append(f"{name}: with\n{source.read()}"
                              f"{done.stdout}{done.stderr}")
    # What was chosen, as directives.
    want, _ = tree_of(args, file, op)
    said = girih(args, "compile", file, "--op", op, "--emit=directives")
    if said.returncode:
        return faults + [f"{name}: {said.stderr.strip()}"]
    sched = f"{folder}/{safe}_chosen.sched"
    with open(sched, "w") as out:
        out.write(said.stdout)
    got, errors = tree_of(args, file, op, "--schedule", sched)
    if got is None or shape(got) != shape(want):
        faults.append(f"{name}: its directives do not give its tree: {errors}")
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("girih")
    parser.add_argument("--device", default="sim")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", default="")
    args = parser.parse_args()
    if devices.skips(args.girih, args.device):
        return 77
    jobs = []
    for entry in sorted(os.listdir(os.path.join(ROOT, "examples"))):
        path = f"examples/{entry}"
        # Those of schedules.te have schedules of their own already.
        if not entry.endswith(".te") or entry == "schedules.te":
            continue
        for where, sets in check_programs.any_sizes(args.girih, path, True):
            op = where.split(":")[1]
            if args.only in where:
                jobs.append((path, op, sets[-1:]))
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.keep or scratch
        os.makedirs(folder, exist_ok=True)
        with ThreadPoolExecutor(max(1, os.cpu_count() or 1)) as pool:
            results = list(pool.map(
                lambda job: check_one(args, folder, *job), jobs))
    faults = [fault for result in results for fault in result]
    for fault in faults:
        print(fault)
    print(f"schedules: {len(jobs)} operators, {len(faults)} faults")
    return 1 if faults or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
