#!/usr/bin/env python3
"""`carom.rollout` beside `carom simulate --batch` and `mujoco.rollout` on the same robot, contacts and servos.

    benches/rollout.py [SCENARIO.toml] [--rows 256] [--steps 300] [--threads 1,2] [--rounds 5] [--carom PROGRAM]
                       [--without-mujoco] [--json FILE]

Needs the Python package (`pip install .`), the program (`cargo build --release`), and MuJoCo from pip. Every row starts where
the scenario does and is driven by its servos. The three take turns, round after round; a figure is the median of the
rounds, in steps of all rows together a second of wall time. That of `rollout` is the whole call, with the scenario read
and the arrays written; that of `--batch` has neither. The program and the package are built alike if both are made by the
same profile (README of the benchmarks). Exits with 1 where `rollout` reaches less than 95 % of `--batch`.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import carom

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
ENOUGH = 0.95


def batch(arguments, threads):
    """Steps a second of the program."""
    duration = arguments.steps * arguments.time_step
    command = [arguments.carom, "simulate", arguments.scenario, "--batch", str(arguments.rows), "--jobs", str(threads)]
    command += ["--set", f"duration={duration!r}", "--json", "--quiet"]
    done = subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True)
    answer = json.loads(done.stdout)
    if answer["completed"] != arguments.rows or answer["steps"] != arguments.rows * arguments.steps:
        sys.exit("rollout.py: runs of the batch stopped early")
    return answer["throughput"][0]["steps_per_s"]


def rolled(arguments, threads):
    """Steps a second of the package."""
    simulation = carom.Simulation(arguments.scenario)
    state = np.concatenate([simulation.q, simulation.v])
    rows = np.tile(state, (arguments.rows, 1))
    begun = time.perf_counter()
    found = carom.rollout(arguments.scenario, rows, steps=arguments.steps, threads=threads)
    wall = time.perf_counter() - begun
    if np.any(found.steps != arguments.steps):
        sys.exit(f"rollout.py: a row stopped early: {next(filter(None, found.stopped))}")
    return arguments.rows * arguments.steps / wall


def mujoco_rolled(arguments):
    """A function of a number of threads that says MuJoCo's steps a second."""
    import mujoco
    from mujoco import rollout

    sys.path.insert(0, str(FOLDER / "peers"))
    import mujoco_runs

    scenario = mujoco_runs.read(arguments.scenario, [f"duration={arguments.steps * arguments.time_step!r}"])
    model, data, controls = mujoco_runs.assemble(scenario, arguments.scenario.parent)
    full = mujoco.mjtState.mjSTATE_FULLPHYSICS
    state = np.empty(mujoco.mj_stateSize(model, full))
    mujoco.mj_getState(model, data, state, full)
    rows = np.tile(state, (arguments.rows, 1))

    def steps(threads):
        workers = [mujoco.MjData(model) for _ in range(threads)]
        with rollout.Rollout(nthread=threads if threads > 1 else 0) as pool:
            begun = time.perf_counter()
            pool.rollout([model] * arguments.rows, workers, rows, controls if model.nu else None, nstep=arguments.steps)
            return arguments.rows * arguments.steps / (time.perf_counter() - begun)

    return steps


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", nargs="?", type=Path, default=ROOT / "robots/quadruped/stand.toml")
    parser.add_argument("--rows", type=int, default=256)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--threads", default="1,2", help="numbers of threads (1,2)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--carom", default=os.environ.get("CAROM") or shutil.which("carom") or "target/release/carom")
    parser.add_argument("--without-mujoco", action="store_true")
    parser.add_argument("--json", type=Path, help="also write everything to this file")
    arguments = parser.parse_args()
    arguments.scenario = arguments.scenario.resolve()
    arguments.time_step = carom.Simulation(arguments.scenario).time_step
    engines = {"--batch": lambda n: batch(arguments, n), "rollout": lambda n: rolled(arguments, n)}
    if not arguments.without_mujoco:
        engines["mujoco.rollout"] = mujoco_rolled(arguments)
    threads = [int(word) for word in arguments.threads.split(",")]
    before = os.getloadavg()[0]
    found = {(name, n): [] for n in threads for name in engines}
    for _ in range(arguments.rounds):
        for name, n in found:
            found[name, n].append(engines[name](n))
    columns = ["threads", *(f"{name}, steps/s" for name in engines), "rollout over --batch"]
    columns += [] if arguments.without_mujoco else ["rollout over MuJoCo"]
    print(f"| {' | '.join(columns)} |\n" + "|---" * len(columns) + "|")
    slow = False
    for n in threads:
        speed = {name: statistics.median(found[name, n]) for name in engines}
        # Of neighbours in time: what else the machine did, it did to both.
        share = statistics.median(ours / theirs for ours, theirs in zip(found["rollout", n], found["--batch", n]))
        cells = [str(n), *(f"{speed[name]:.0f}" for name in engines), f"{share:.3f}"]
        if not arguments.without_mujoco:
            cells.append(f"{speed['rollout'] / speed['mujoco.rollout']:.2f}")
        print(f"| {' | '.join(cells)} |")
        slow = slow or share < ENOUGH
    name = arguments.scenario.relative_to(ROOT) if arguments.scenario.is_relative_to(ROOT) else arguments.scenario
    load = f"load average {before:.1f} before, {os.getloadavg()[0]:.1f} after, on {os.cpu_count()} cores"
    print(f"\n{name}, {arguments.rows} rows of {arguments.steps} steps, medians of {arguments.rounds} rounds, {load}")
    if arguments.json:
        named = {f"{name} on {n}": values for (name, n), values in found.items()}
        arguments.json.write_text(json.dumps(named, indent=1) + "\n")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
