#!/usr/bin/env python3
"""Counts the instructions of each kernel with valgrind and compares them with benches/instructions.json.

    benches/instructions.py            fails (exit 1) where a kernel takes over 5 % more, or is not written down
    benches/instructions.py --update   writes the counts down

Valgrind counts only within the function `counted` of benches/kernels/repeated.rs, so that setting up is not in it. A kernel
that is a whole run of 0.1 s has so many instructions that once is enough. Counts depend on the compiler: with another
one than they were written down with, differences are shown but do not fail. They hardly depend on the machine:
mathematical functions are those for any x86-64, whatever the processor offers. Nor do they depend on the settings of
whoever counts: the build is that of CI's tests, as .ci/environment says, and nothing from the environment. With less
inlined, nothing vectorised and overflows checked it takes 1.2 to 1.5 times as many instructions as one that is released.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
RECORD = FOLDER / "instructions.json"
TOLERANCE = 0.05
# Of a kernel that works with what it allocated the first time.
REPETITIONS = 250
REPETITIONS_OF = {
    "impact/enumerate/seven": 1,
    "run/tripod": 1,
    "run/collapse": 1,
    "run/dry": 1,
    "run/humanoid": 1,
    "run/self": 1,
    "run/bump": 1,
    "run/stairs": 1,
    "run/objects": 1,
}
# What the C library would choose its variants of sine, copying and filling by.
PLAIN_PROCESSOR = "-AVX,-AVX2,-AVX512F,-AVX512VL,-AVX512BW,-FMA,-FMA4,-ERMS,-BMI2,-SSE4_1,-SSE4_2,-SSSE3"


def settled_environment():
    """The environment without what would make another program of the same sources."""
    decides = re.compile(r"CARGO_PROFILE_|CARGO_INCREMENTAL$|CARGO_BUILD_(?!JOBS$|TARGET_DIR$)|RUSTC_(WORKSPACE_)?WRAPPER$")
    kept = {name: value for name, value in os.environ.items() if not decides.match(name)}
    # Set and empty, it overrides RUSTFLAGS and the flags of configuration files.
    return {**kept, "CARGO_ENCODED_RUSTFLAGS": ""}


def build():
    """The program of kernels, which cargo builds for tests of programs."""
    tests = "cargo test --locked --features $features --test allocation --no-run --message-format=json-render-diagnostics"
    environment = settled_environment()
    environment.setdefault("CARGO_TARGET_DIR", str(FOLDER.parent / "target" / "count"))
    lines = subprocess.run(
        ["bash", "-ec", f". .ci/environment; {tests}"],
        cwd=FOLDER.parent,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout.splitlines()
    artifacts = [json.loads(line) for line in lines if line.startswith("{")]
    return next(a["executable"] for a in artifacts if a.get("executable") and a["target"]["name"] == "kernels")


def instructions(program, kernel):
    count = REPETITIONS_OF.get(kernel, REPETITIONS)
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*repeated*counted*"]
    command = [*valgrind, program, "repeat", kernel, str(count)]
    environment = {**os.environ, "GLIBC_TUNABLES": f"glibc.cpu.hwcaps={PLAIN_PROCESSOR}"}
    run = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True)
    found = re.search(r"Collected : (\d+)", run.stderr)
    # Nothing counted would be less than is written down.
    if run.returncode != 0 or not found or int(found[1]) == 0:
        sys.exit(f"{' '.join(command)} failed:\n{run.stderr}")
    return round(int(found[1]) / count)


def compare(counts, recorded):
    """Prints a line a kernel; the names of those that fail, and of those whose record can be lowered."""
    dearer, cheaper = [], []
    print(f"{'kernel':40} {'recorded':>10} {'now':>10}  change")
    for kernel in sorted(counts.keys() | recorded.keys()):
        now, then = counts.get(kernel), recorded.get(kernel)
        if now is None or then is None:
            print(f"{kernel:40} {then or '-':>10} {now or '-':>10}  {'gone' if now is None else 'new'}")
            dearer.append(kernel)
            continue
        change = now / then - 1
        outside = abs(change) > TOLERANCE
        print(f"{kernel:40} {then:10} {now:10}  {change:+7.2%}{'  <-' if outside else ''}")
        if outside:
            (dearer if change > 0 else cheaper).append(kernel)
    return dearer, cheaper


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the counts down instead of comparing them")
    update = parser.parse_args().update
    if platform.machine() != "x86_64":
        sys.exit("the counts are those of x86-64")
    program = build()
    compiler = subprocess.run(["rustc", "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    kernels = subprocess.run([program, "list"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = dict(zip(kernels, pool.map(lambda kernel: instructions(program, kernel), kernels)))
    recorded = json.loads(RECORD.read_text()) if RECORD.exists() else {"compiler": compiler, "instructions": {}}
    dearer, cheaper = compare(counts, recorded["instructions"])
    if update:
        RECORD.write_text(json.dumps({"compiler": compiler, "instructions": counts}, indent=2) + "\n")
    elif recorded["compiler"] != compiler:
        print(f"recorded with {recorded['compiler']}, counted with {compiler}: not compared strictly")
    elif dearer:
        sys.exit(
            f"over {TOLERANCE:.0%} more, new or gone: {', '.join(dearer)}; if it is meant, benches/instructions.py --update"
        )
    elif cheaper:
        print(f"over {TOLERANCE:.0%} less: {', '.join(cheaper)}; benches/instructions.py --update lowers the record")


if __name__ == "__main__":
    main()
