#!/usr/bin/env python3
"""A quadruped that falls between stones, into a slot or a corner, with rough feet: what stands against two things at once.

    benches/corners.py [--scenes 1 100] [--jobs 1] [--timeout 30] [--carom PROGRAM] [--out FILE]

Each scene is drawn from its number: where the quadruped of `robots/quadruped` falls from and how, on points or on its round feet, under
its servos or limp, the ground, friction from 0.6 to 2, where a corner holds any load, law, restitution and step; one second of it. A
scene that stops early, sinks deeper than 1e-9 m, misses its balance of energy by more than a fiftieth or has no end within the timeout
makes the script fail.
"""

import math
import random
import shutil
import tomllib

import objects
import runs
from foreign import write_scenario

FOLDER = runs.ROOT / "target" / "corners"
ROBOT = runs.ROOT / "robots" / "quadruped"
LEGS = ["FR", "FL", "RR", "RL"]
# From the joint of a calf to its foot, m.
CALF = 0.2


def ground(draw):
    kind, drop = draw.choice(["stones", "slot", "corner"]), draw.choice([0.05, 0.1, 0.2])
    plane = {"kind": "plane", "name": "ground", "point": [0.0, 0.0, -drop]}
    if kind == "stones":
        size, gap = ([draw.choice(sizes) for _ in range(2)] for sizes in ([0.1, 0.2], [0.05, 0.1]))
        stones = {"kind": "stepping-stones", "name": "stones", "count": [10, 10], "size": [*size, 0.2], "gap": gap}
        return [plane, {**stones, "start": [-1.0, -1.0, 0.0], "variation": draw.choice([0.0, 0.03]), "seed": draw.randrange(1000)}]
    if kind == "slot":
        boxes = [("left", [-1.0, -1.0, -0.3], [-0.15, 1.0, 0.0]), ("right", [-0.1, -1.0, -0.3], [1.0, 1.0, -0.02])]
    else:
        boxes = [("left", [-1.0, -1.0, -0.3], [-0.15, 1.0, 0.0]), ("back", [-0.15, 0.1, -0.3], [1.0, 1.0, 0.06])]
    return [plane, *({"kind": "box", "name": name, "min": low, "max": high} for name, low, high in boxes)]


def scene(number, stand):
    draw = random.Random(f"corners {number}")
    law, contact = objects.rules(draw)
    contact["friction"] = draw.choice([0.6, 1.0, 1.1, 1.5, 2.0])
    if draw.random() < 0.5:
        contact["site"] = [{"name": leg, "link": f"{leg}_calf", "kind": "point", "position": [0.0, 0.0, -CALF]} for leg in LEGS]
        contact["collisions"] = []
    else:
        contact["collisions"] = ["sphere"]
    yaw = draw.uniform(-math.pi, math.pi)
    place = [draw.uniform(-0.1, 0.1), draw.uniform(-0.1, 0.1), draw.uniform(0.34, 0.45)]
    twist = [draw.gauss(0, 0.5), draw.gauss(0, 0.5), draw.gauss(0, 0.3), 0.0, 0.0, draw.gauss(0, 1)]
    base = {"position": place, "quaternion": [0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)], "twist": twist}
    limp = draw.random() < 0.3
    return {
        "time_step": draw.choice([5e-4, 1e-3, 2e-3]),
        "duration": 1.0,
        "robot": {"file": "a1.urdf", "base": "floating"},
        "initial": {"base": base, "joints": stand["initial"]["joints"]},
        "impact": {"law": law},
        "contact": contact,
        "terrain": ground(draw),
        **({} if limp else {"controller": stand["controller"]}),
    }


def lay_out(_arguments, _carom, numbers):
    FOLDER.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROBOT / "a1.urdf", FOLDER)
    stand = tomllib.loads((ROBOT / "stand.toml").read_text())
    for number in numbers:
        file = FOLDER / f"corner{number}.toml"
        write_scenario(file, scene(number, stand))
        yield f"corner{number}", (str(file), [])


if __name__ == "__main__":
    objects.try_alone(__doc__, 100, 30.0, FOLDER, lay_out)
