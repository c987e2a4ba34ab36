#!/usr/bin/env python3
"""Carom beside MuJoCo and Pinocchio on the same work, measured in one run.

    benches/peers.py [--rounds 5] [--skip-energy] [--json FILE]

Makes an environment in target/peers with MuJoCo and Pinocchio from pip, compiles a driver against Pinocchio's headers
(some minutes the first time; needs g++ and Eigen, Debian's libeigen3-dev) and runs everything on one thread. The
engines take turns, round after round; a time is the median over the rounds of the median over 25 motions, each timed
in pieces of 25 steps from the same state after 0.1 s. All loops over steps are inside compiled code.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import venv
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
ENVIRONMENT = ROOT / "target" / "peers"
PACKAGES = ["mujoco==4.0.0", "pin==4.1.0", "numpy"]
# Order, step, residual tolerance. At 1e-10 what is left of the residuals outweighs the errors of the higher orders.
ENERGY_ORDERS = [
    (2, 1e-3, 1e-10), (2, 2.5e-4, 1e-10),
    (4, 4e-3, 1e-10), (4, 2e-3, 1e-10), (4, 1e-3, 1e-10),
    (6, 4e-3, 1e-10), (6, 2e-3, 1e-10), (6, 2e-3, 1e-12),
    (8, 1e-2, 1e-10), (8, 5e-3, 1e-10), (8, 4e-3, 1e-10), (8, 4e-3, 1e-12), (8, 2e-3, 1e-12),
]
ENERGY_STEPS_MUJOCO = [4e-3, 2e-3, 1e-3, 5e-4]
ENERGY_TOLERANCES = [1e-6, 1e-8, 1e-10]


def build_ours():
    command = ["cargo", "bench", "--locked", "--no-default-features", "--bench", "kernels", "--no-run"]
    lines = subprocess.run(
        [*command, "--message-format=json-render-diagnostics"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()
    artifacts = [json.loads(line) for line in lines if line.startswith("{")]
    return next(a["executable"] for a in artifacts if a.get("executable") and a["target"]["name"] == "kernels")


def prepare():
    """The environment's Python and the compiled driver of Pinocchio."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        venv.create(ENVIRONMENT, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    prefix = Path(site) / "cmeel.prefix"
    source, driver = FOLDER / "peers" / "pinocchio.cpp", ENVIRONMENT / "pinocchio"
    if not driver.exists() or driver.stat().st_mtime < source.stat().st_mtime:
        print("compiling the driver of Pinocchio", file=sys.stderr)
        # Boost's lists are preprocessed for 20 joint types only; Pinocchio has more.
        definitions = ["-DNDEBUG", "-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS"]
        headers = [f"-I{prefix}/include", f"-I{prefix}/include/pinocchio/deprecated", "-I/usr/include/eigen3"]
        libraries = [f"-L{prefix}/lib", "-lpinocchio_default", f"-Wl,-rpath,{prefix}/lib"]
        command = ["g++", "-O3", "-std=c++17", "-w", *definitions, *headers, str(source), "-o", str(driver), *libraries]
        subprocess.run(command, check=True)
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


def energies(ours, driver, mujoco):
    """Rows of (method, processor time, largest error, mean error of the last tenth, configuration after 2 s)."""
    rows = []
    for order, step, tolerance in ENERGY_ORDERS:
        (line,) = output([ours, "energy", order, step, tolerance])
        rows.append({"method": f"Carom order {order}, {1e3 * step:g} ms, residual {tolerance:g}", **line})
    for step in ENERGY_STEPS_MUJOCO:
        (line,) = output([*mujoco, "energy", step])
        rows.append({"method": f"MuJoCo RK4, {1e3 * step:g} ms", **line})
    for tolerance in ENERGY_TOLERANCES:
        (line,) = output([driver, "energy", tolerance])
        rows.append({"method": f"Dormand-Prince 5(4) on Pinocchio, tolerance {tolerance:g}", **line})
    return rows


def print_energies(rows):
    # The finest composition of order 8 is further from the truth by less than what is printed.
    reference = min((r for r in rows if r.get("order") == 8), key=lambda r: r["step_s"])["q_2s"]
    print("\nEnergy of the 4-link chain over 100 s as a share of m g L of one link\n")
    print("| method | processor time, s | largest error | mean error of the last 10 s | configuration error after 2 s, rad |")
    print("|---|---|---|---|---|")
    for r in sorted(rows, key=lambda r: r["method"]):
        error = max(abs(a - b) for a, b in zip(r["q_2s"], reference))
        shown = "reference" if r["q_2s"] is reference else f"{error:.1e}"
        print(f"| {r['method']} | {r['processor_s']:.3f} | {r['largest']:.1e} | {r['late_mean']:+.1e} | {shown} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="turns of the engines (5)")
    parser.add_argument("--skip-energy", action="store_true", help="times of steps only")
    parser.add_argument("--json", type=Path, help="also write everything to this file")
    arguments = parser.parse_args()
    ours = build_ours()
    python, driver = prepare()
    mujoco = [python, FOLDER / "peers" / "mujoco_steps.py"]
    before = os.getloadavg()[0]
    engines = [("Carom", [ours]), ("Pinocchio ABA", [driver]), ("MuJoCo", mujoco)]
    times, residuals = step_times(engines, arguments.rounds)
    print_steps(times, residuals)
    rows = [] if arguments.skip_energy else energies(ours, driver, mujoco)
    if rows:
        print_energies(rows)
    print(f"\nload average {before:.1f} before, {os.getloadavg()[0]:.1f} after, on {os.cpu_count()} cores")
    if arguments.json:
        arguments.json.write_text(json.dumps({"steps_us": times, "residuals": residuals, "energy": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
