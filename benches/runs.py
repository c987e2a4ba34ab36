#!/usr/bin/env python3
"""Eight whole runs of robots with contacts, by Carom and by MuJoCo in turns.

    benches/runs.py [--rounds 3] [--only NAME ...] [--set KEY=VALUE ...] [--timeout 600] [--carom PROGRAM] [--out FILE] [--json FILE]

Builds Carom's program, makes an environment in target/peers with MuJoCo from pip, and lets the two run every scenario
one after the other, round after round, on one thread each. Carom's time is the wall time that its summary.json states: all
steps and a row of series.csv every 50 of them, without pictures. MuJoCo's is that of all steps in one call of compiled
code (implicit-fast, elliptic cones, the same step, sites, gains and limits), without any output. Figures are medians over
the rounds. A run of Carom that takes longer than the timeout is ended and reported with the time it had reached.
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
ENVIRONMENT = ROOT / "target" / "peers"
PACKAGES = ["mujoco==4.0.0", "numpy"]
OUTPUT = ["output.every=50", "output.plots=false", "output.replay=false"]
# Name: scenario and what is set in it.
RUNS = {
    "hexapod-tripod": ("robots/rhex/tripod.toml", []),
    "hexapod-tripod-plastic": ("robots/rhex/tripod.toml", ["contact.restitution=0"]),
    "quadruped-stand": ("robots/quadruped/stand.toml", []),
    "quadruped-slide": ("robots/quadruped/slide.toml", []),
    "quadruped-collapse": ("robots/quadruped/collapse.toml", []),
    "quadruped-stand-dry": ("robots/quadruped/stand_dry.toml", []),
    "humanoid-fall": ("robots/humanoid/fall.toml", []),
    "humanoid-stand-dry": ("robots/humanoid/stand.toml", []),
}


def build():
    """Carom's program in the release profile."""
    command = ["cargo", "build", "--release", "--locked", "--bin", "carom", "--message-format=json-render-diagnostics"]
    try:
        text = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"runs.py: Carom cannot be built ({error}); give a program with --carom")
    artifacts = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return next(a["executable"] for a in artifacts if a.get("executable") and a["target"]["name"] == "carom")


def demand(command, remedy):
    try:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        sys.exit(f"runs.py: {remedy}")


def prepare():
    """A Python that has MuJoCo: this one, or that of target/peers."""
    wanted = dict(package.partition("==")[::2] for package in PACKAGES)
    check = f"import mujoco, numpy; assert mujoco.__version__ == '{wanted['mujoco']}'"
    python = ENVIRONMENT / "bin" / "python"
    for candidate in (python, sys.executable):
        try:
            if subprocess.run([candidate, "-c", check], stderr=subprocess.DEVNULL).returncode == 0:
                return candidate
        except OSError:
            continue
    if not (ENVIRONMENT / "bin" / "pip").exists():
        demand([sys.executable, "-m", "venv", "--clear", ENVIRONMENT], "there is no venv here: apt install python3-venv")
    names = ", ".join(PACKAGES)
    remedy = f"pip cannot install {names}; it must reach a package index with wheels for this machine"
    demand([python, "-m", "pip", "install", "--quiet", *PACKAGES], remedy)
    demand([python, "-c", check], f"{names} cannot be imported from {ENVIRONMENT}; remove that folder and try again")
    return python


def add_options(parser, rounds, timeout, out):
    """What all scripts take that let Carom and MuJoCo take turns."""
    if rounds is None:
        parser.set_defaults(rounds=1)
    else:
        parser.add_argument("--rounds", type=int, default=rounds, help=f"turns of the engines ({rounds})")
    parser.add_argument(
        "--timeout", type=float, default=timeout, help=f"wall time of a run of Carom in seconds ({timeout:g})"
    )
    parser.add_argument("--carom", type=Path, help="a program instead of building one")
    parser.add_argument("--out", type=Path, default=out, help=f"the table ({out.relative_to(ROOT)})")


def publish(text, out):
    """Shows a table and writes it down."""
    print(text)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text + "\n")


def check(arguments):
    """Ends with a word where options make no sense."""
    name = Path(sys.argv[0]).name
    if arguments.rounds < 1:
        sys.exit(f"{name}: --rounds must be at least 1")
    if not arguments.timeout > 0:
        sys.exit(f"{name}: --timeout must be positive")
    if arguments.carom and not os.access(arguments.carom, os.X_OK):
        sys.exit(f"{name}: --carom {arguments.carom}: no program that can be run; without it one is built")


def run_carom(program, scenario, overrides, timeout):
    """What a run's files say, or where it was when its time was over."""
    settings = [part for entry in overrides + OUTPUT for part in ("--set", entry)]
    with tempfile.TemporaryDirectory(prefix="carom-runs-") as folder:
        command = [str(program), "simulate", str(ROOT / scenario), "--quiet", "--out", folder, *settings]
        environment = {**os.environ, "RAYON_NUM_THREADS": "1"}
        try:
            done = subprocess.run(
                command, timeout=timeout, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            )
        except subprocess.TimeoutExpired:
            state = Path(folder) / "state.json"
            reached = json.loads(state.read_text())["state"]["time"] if state.exists() else 0.0
            return {"status": "timeout", "time_s": reached, "wall_s": timeout, "real_time": reached / timeout}
        summary_file = Path(folder) / "summary.json"
        if not summary_file.exists():
            return {"status": "refused", "reason": done.stderr.strip()}
        summary = json.loads(summary_file.read_text())
        csv.field_size_limit(sys.maxsize)
        with open(Path(folder) / "events.csv", newline="") as file:
            events = sum(1 for _ in csv.reader(file)) - 1
    return {
        "status": summary["status"],
        "reason": summary.get("reason", ""),
        "time_s": summary["time_s"],
        "wall_s": summary["wall_time_s"],
        "real_time": summary["real_time_factor"],
        "penetration_m": summary["max_penetration_m"],
        "residual_J": summary["energy"]["max_residual_J"],
        "energy_J": max(abs(summary["energy"][key]) for key in ("initial_J", "final_J")),
        "steps": summary["steps"],
        "impacts": summary["impacts"]["count"],
        "events": events,
        "halvings": summary["newton"]["halvings"],
        "solver": summary.get("solver"),
    }


def run_mujoco(python, scenario, overrides):
    command = [python, FOLDER / "peers" / "mujoco_runs.py", ROOT / scenario, *overrides, "output.every=50"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"runs.py: MuJoCo's run of {scenario} failed, see above")
    return json.loads(done.stdout)


def measure(names, rounds, carom, python, timeout, settings=()):
    """{name: {engine: results of the rounds}}; what ran out of time or was refused once is not tried again."""
    found = {name: {"Carom": [], "MuJoCo": []} for name in names}
    for turn in range(rounds):
        for name in names:
            scenario, overrides = RUNS[name]
            overrides = [*overrides, *settings]
            print(f"round {turn + 1} of {rounds}: {name}", file=sys.stderr)
            ours = found[name]["Carom"]
            if not ours or ours[-1]["status"] in ("completed", "stopped"):
                ours.append(run_carom(carom, scenario, overrides, timeout))
            found[name]["MuJoCo"].append(run_mujoco(python, scenario, overrides))
    return found


def median(results, key):
    return statistics.median(result[key] for result in results)


OURS = ["largest penetration, m", "energy residual, J", "steps", "events", "halvings"]


def end(result):
    """How a run of Carom ended."""
    if result["status"] == "refused":
        return f"refused: {' '.join(result['reason'].split())}"
    where = "" if result["status"] == "completed" else f" at {result['time_s']:.3f} s"
    why = f": {result['reason']}" if result.get("reason") else ""
    return result["status"] + where + why


def details(result):
    """What a run of Carom says of itself, as far as it got."""
    if result["status"] in ("refused", "timeout"):
        return [""] * len(OURS)
    sizes = [f"{result[key]:.1e}" for key in ("penetration_m", "residual_J")]
    return sizes + [str(result[key]) for key in ("steps", "events", "halvings")]


def table(found):
    """Of runs by both engines, or by Carom alone."""
    beside = all(engines["MuJoCo"] for engines in found.values())
    theirs = ["MuJoCo × real time", "Carom's time / MuJoCo's"] if beside else []
    sinks = ["MuJoCo sinks, mm (at the end)"] if beside else []
    columns = ["run", "Carom × real time", *theirs, *OURS, *sinks, "Carom's end"]
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for name, engines in found.items():
        last = engines["Carom"][-1]
        own = None if last["status"] == "refused" else median(engines["Carom"], "real_time")
        cells = ["" if own is None else f"{own:.3g}", *details(last)]
        if beside:
            fast, other = median(engines["MuJoCo"], "real_time"), engines["MuJoCo"][-1]
            ratio = "" if own is None else f"{fast / own:.2f}" if own > 0 else "∞"
            cells[1:1] = [f"{fast:.1f}", ratio]
            cells.append(f"{1e3 * other['sink_m']:.2f} ({1e3 * other['final_sink_m']:.2f})")
        lines.append(f"| {name} | {' | '.join([*cells, end(last)])} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, 3, 600.0, ROOT / "target" / "runs.md")
    parser.add_argument("--only", nargs="+", choices=RUNS, metavar="NAME", help=f"some of {', '.join(RUNS)}")
    parser.add_argument(
        "--set", nargs="+", action="extend", default=[], metavar="KEY=VALUE", help="in every scenario, for both engines"
    )
    parser.add_argument("--json", type=Path, help="also write everything to this file")
    arguments = parser.parse_args()
    check(arguments)
    for entry in arguments.set:
        if "=" not in entry:
            sys.exit(f"runs.py: --set {entry}: a setting is KEY=VALUE, as contact.friction=0.5")
    python = prepare()
    carom = arguments.carom or build()
    before = os.getloadavg()[0]
    names = arguments.only or list(RUNS)
    found = measure(names, arguments.rounds, carom, python, arguments.timeout, arguments.set)
    load = f"load average {before:.1f} before, {os.getloadavg()[0]:.1f} after, on {os.cpu_count()} cores"
    publish(f"{table(found)}\n\n{load}", arguments.out)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
