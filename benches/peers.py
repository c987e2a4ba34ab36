#!/usr/bin/env python3
"""Carom beside MuJoCo and Pinocchio on the same work, measured in one run.

    benches/peers.py [--rounds 5] [--skip-steps] [--skip-energy] [--json FILE]

Makes an environment in target/peers with MuJoCo and Pinocchio from pip, compiles a driver against Pinocchio's headers
(some minutes the first time; needs g++ and Eigen, Debian's libeigen3-dev) and runs everything on one thread. The
engines take turns, round after round; a time of a step is the median over the rounds of the median over 25 motions,
each timed in pieces of 25 steps from the same state after 0.1 s. All loops over steps are inside compiled code. Then
energy and configuration errors of long motions are set against processor time, in tables and in work_precision.svg.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import work_precision

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
ENVIRONMENT = ROOT / "target" / "peers"
EIGEN = Path("/usr/include/eigen3")
PACKAGES = ["mujoco==4.0.0", "pin==4.1.0", "numpy"]


def build_ours():
    command = ["cargo", "build", "--locked", "--no-default-features", "--features", "kernels", "--profile", "bench", "--bin", "kernels"]
    lines = subprocess.run(
        [*command, "--message-format=json-render-diagnostics"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()
    artifacts = [json.loads(line) for line in lines if line.startswith("{")]
    return next(a["executable"] for a in artifacts if a.get("executable") and a["target"]["name"] == "kernels")


def demand(command, failure):
    """What a program prints; where it fails, it has said why, and this is what could help."""
    try:
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        sys.exit(f"peers.py: {failure}")


def prepare():
    """The environment's Python and the compiled driver of Pinocchio."""
    if not EIGEN.is_dir() or shutil.which("g++") is None:
        sys.exit(f"peers.py: the driver of Pinocchio needs g++ and Eigen in {EIGEN}: apt install g++ libeigen3-dev")
    python = ENVIRONMENT / "bin" / "python"
    if not (ENVIRONMENT / "bin" / "pip").exists():
        demand([sys.executable, "-m", "venv", "--clear", ENVIRONMENT], "there is no venv here: apt install python3-venv")
    install = [python, "-m", "pip", "install", "--quiet", *PACKAGES]
    demand(install, f"pip cannot install {', '.join(PACKAGES)}; it must reach a package index with wheels for this machine")
    site = demand([python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"], f"remove {ENVIRONMENT}").strip()
    prefix = Path(site) / "cmeel.prefix"
    source, driver = FOLDER / "peers" / "pinocchio.cpp", ENVIRONMENT / "pinocchio"
    if not driver.exists() or driver.stat().st_mtime < source.stat().st_mtime:
        print("compiling the driver of Pinocchio", file=sys.stderr)
        # Boost's lists are preprocessed for 20 joint types only; Pinocchio has more.
        definitions = ["-DNDEBUG", "-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS"]
        headers = [f"-I{prefix}/include", f"-I{prefix}/include/pinocchio/deprecated", f"-I{EIGEN}"]
        libraries = [f"-L{prefix}/lib", "-lpinocchio_default", f"-Wl,-rpath,{prefix}/lib"]
        command = ["g++", "-O3", "-std=c++17", "-w", *definitions, *headers, str(source), "-o", str(driver), *libraries]
        demand(command, "the driver of Pinocchio cannot be compiled; that takes 2.6 GB of memory")
    return python, driver


def output(command):
    """The JSON objects that a program prints, one a line."""
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
    text = subprocess.run([str(c) for c in command], check=True, stdout=subprocess.PIPE, text=True, env=one_thread).stdout
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def step_times(engines, rounds):
    """{id: {engine: median in microseconds}} and the largest residual of each of ours."""
    times, residuals = {}, {}
    for turn in range(rounds):
        print(f"round {turn + 1} of {rounds}", file=sys.stderr)
        for name, command in engines:
            for line in output([*command, "steps"]):
                engine = line.get("engine", name)
                times.setdefault(line["id"], {}).setdefault(engine, []).append(line["median_us"])
                if "largest_residual" in line:
                    residuals[line["id"]] = line["largest_residual"]
    medians = {k: {e: statistics.median(t) for e, t in row.items()} for k, row in times.items()}
    return medians, residuals


def print_steps(times, residuals):
    columns = ["Carom", "Pinocchio ABA", "MuJoCo Euler", "MuJoCo RK4"]
    print("\nTime per 1 ms step in microseconds, and our time as a share of each\n")
    print(f"| work | {' | '.join(columns)} | /Pinocchio | /Euler | /RK4 | our largest residual |")
    print("|---" * (len(columns) + 5) + "|")
    for work, row in times.items():
        cells = [f"{row[c]:.2f}" if c in row else "" for c in columns]
        ours = row.get("Carom")
        ratios = [f"{ours / row[c]:.2f}" if ours and c in row else "" for c in columns[1:]]
        residual = f"{residuals[work]:.0e}" if work in residuals else ""
        print(f"| {work} | {' | '.join(cells + ratios)} | {residual} |")
    for engine in columns:
        long, half = (times.get(f"step/chain/{n}", {}).get(engine) for n in (128, 64))
        if long and half:
            print(f"chain 128 / chain 64, {engine}: {long / half:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="turns of the engines (5)")
    parser.add_argument("--skip-steps", action="store_true", help="long motions only")
    parser.add_argument("--skip-energy", action="store_true", help="times of steps only")
    parser.add_argument("--json", type=Path, help="also write everything to this file")
    arguments = parser.parse_args()
    python, driver = prepare()
    ours = build_ours()
    mujoco = [python, FOLDER / "peers" / "mujoco_steps.py"]
    before = os.getloadavg()[0]
    times, residuals, rows = {}, {}, []
    if not arguments.skip_steps:
        engines = [("Carom", [ours]), ("Pinocchio ABA", [driver]), ("MuJoCo", mujoco)]
        times, residuals = step_times(engines, arguments.rounds)
        print_steps(times, residuals)
    if not arguments.skip_energy:
        for motion in work_precision.MOTIONS:
            print(f"long motions: {motion}", file=sys.stderr)
            own = work_precision.measure(motion, output, [ours], [driver], mujoco)
            work_precision.print_table(motion, own)
            rows += own
        work_precision.draw(rows, FOLDER / "work_precision.svg")
    print(f"\nload average {before:.1f} before, {os.getloadavg()[0]:.1f} after, on {os.cpu_count()} cores")
    if arguments.json:
        arguments.json.write_text(json.dumps({"steps_us": times, "residuals": residuals, "precision": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
