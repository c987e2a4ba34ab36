#!/usr/bin/env python3
"""Any robot of the package example-robot-data on all its shapes, on any kind of ground, under any impact law.

    benches/grounds.py [--scenes 1 20] [--robots FOLDER] [--jobs 1] [--timeout 100] [--carom PROGRAM] [--out FILE]

Each scene is drawn from its number: a robot as `carom init` writes it, held, walking or limp, on its own ground or thrown from 0.3 m
above another one, with friction, restitution, step and law, half the time touching itself as well where it is thrown; 0.6 s of it.
A scene that stops early, sinks deeper than 1e-9 m or has no end within the timeout makes the script fail; one that is refused because
of where it starts does not, nor does a robot for which `carom init` has no such controller. `--robots` draws from the URDF files
below another folder.
"""

import random
import subprocess
import sys
import tomllib
from pathlib import Path

import foreign
import objects
import runs

FOLDER = runs.ROOT / "target" / "grounds"
PLANE = {"kind": "plane", "name": "ground"}


def boxes(draw):
    for index in range(3):
        x, y = (round(draw.uniform(-0.6, 0.4), 2) for _ in range(2))
        yield {"kind": "box", "name": f"box{index}", "min": [x, y, -0.1], "max": [x + 0.3, y + 0.3, 0.06]}


def ground(draw):
    kind = draw.choice(["slope", "boxes", "stairs", "hills"])
    if kind == "slope":
        return [{**PLANE, "normal": [round(draw.uniform(-0.4, 0.4), 2), round(draw.uniform(-0.4, 0.4), 2), 1.0]}]
    if kind == "boxes":
        return [PLANE, *boxes(draw)]
    if kind == "stairs":
        stairs = {"count": 4, "rise": 0.05, "run": 0.2, "width": 3.0, "start": [-0.3, 0.0, 0.0]}
        return [PLANE, {"kind": "stairs", "name": "flight", **stairs}]
    hills = {"origin": [-2.0, -2.0], "size": [4.0, 4.0], "cell": 0.1}
    return [{"kind": "height-field", "name": "hills", "expression": "0.03 * (1 - cos(3 * x)) * cos(2 * y)", **hills}]


def changed(scenario, draw):
    """A scenario of `carom init` with what is drawn."""
    law = draw.choice(["max-dissipation"] * len(objects.LAWS) + objects.LAWS)
    contact = {**scenario.get("contact", {}), "friction": draw.choice([0.0, 0.2, 0.5, 0.7, 1.0, 1.5])}
    contact.pop("restitution", None)
    if law in objects.BOUNCING:
        contact["restitution"] = draw.choice([0.0, 0.0, 0.3, 0.7])
    new = {"impact": {"law": law}, "contact": contact, "duration": 0.6}
    new["time_step"] = draw.choice([5e-4, 1e-3, 1e-3, 1e-3, 2e-3, 4e-3])
    base = scenario.get("initial", {}).get("base", {})
    if "position" in base and draw.random() < 0.8:
        x, y, z = base["position"]
        twist = [round(draw.uniform(-1.0, 1.0), 2) for _ in range(6)]
        new["initial"] = {**scenario["initial"], "base": {**base, "position": [x, y, z + 0.3], "twist": twist}}
        new["terrain"] = ground(draw)
        if draw.random() < 0.5:
            contact["self"] = True
    return {**scenario, **new}


def lay_out(arguments, carom, numbers):
    """Writes scenes and lists them; what `carom init` refuses is told."""
    folder = arguments.robots or foreign.prepare()[1] / "robots"
    files = sorted(folder.rglob("*.urdf"))
    if not files:
        sys.exit(f"grounds.py: --robots {folder}: no file there or below ends in .urdf")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        draw = random.Random(f"grounds {number}")
        file, controller = draw.choice(files), draw.choice(["servo", "servo", "none", "none", "gait"])
        name = f"{number}-{file.stem}-{controller}"
        out = FOLDER / f"{name}.toml"
        base = ["--base", "floating"] if controller == "none" else []
        command = [carom, "init", file, "--controller", controller, *base, "--force", "--quiet", "--out", out]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            print(f"grounds.py: {name}: {done.stderr.strip()}", file=sys.stderr)
            continue
        foreign.write_scenario(out, changed(tomllib.loads(out.read_text()), draw))
        yield name, (str(out), [])


def add_options(parser):
    parser.add_argument("--robots", type=Path, metavar="FOLDER", help="draws from its URDF files (those of example-robot-data)")


if __name__ == "__main__":
    objects.try_alone(__doc__, 20, 100.0, FOLDER, lay_out, add_options)
