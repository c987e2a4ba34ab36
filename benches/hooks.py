#!/usr/bin/env python3
"""A C-shaped leg or a disc alone that is thrown at a stone, a step or a slot: what hooks, tips, rolls and falls flat.

    benches/hooks.py [--scenes 1 100] [--jobs 1] [--timeout 30] [--carom PROGRAM] [--out FILE]

Each scene is drawn from its number: an arc of half a radian to a full turn, thin or thick, or the edge of a disc, how it is turned and
thrown, the ground, friction, restitution, law and step; one second of it. A scene that stops early, sinks deeper than 1e-9 m, misses
its balance of energy by more than a fiftieth or has no end within the timeout makes the script fail.
"""

import math
import random

import objects
import runs
from foreign import write_scenario

FOLDER = runs.ROOT / "target" / "hooks"
BODY = """<robot name="body"><link name="body"><inertial><mass value="1.0"/>
<inertia ixx="6e-3" iyy="8e-3" izz="5e-3" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>
"""
GROUNDS = [
    [("stone", [-0.05, -0.05, 0.0], [0.05, 0.05, 0.2])],
    [("step", [0.0, -0.5, -0.1], [0.5, 0.5, 0.15])],
    [("left", [-0.3, -0.3, -0.1], [-0.02, 0.3, 0.15]), ("right", [0.02, -0.3, -0.1], [0.3, 0.3, 0.12])],
]


def quaternion(roll, pitch, yaw):
    (a, x), (b, y), (c, z) = ((math.cos(angle / 2), math.sin(angle / 2)) for angle in (roll, pitch, yaw))
    return [x * b * c - a * y * z, a * y * c + x * b * z, a * b * z - x * y * c, a * b * c + x * y * z]


def site(draw):
    entry = {"name": "rim", "link": "body", "radius": draw.choice([0.05, 0.08, 0.1])}
    if draw.random() < 0.3:
        return {**entry, "kind": "disc", "axis": [0.0, 1.0, 0.0]}
    start, length = draw.choice([0.0, -math.pi / 2, draw.uniform(-3, 3)]), draw.choice([math.pi, 6.28, draw.uniform(0.5, 6)])
    thickness = draw.choice([0.0, 0.0, 0.01])
    axes = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    return {**entry, "kind": "arc", "axes": axes, "start": start, "end": start + length, "thickness": thickness}


def scene(number):
    draw = random.Random(f"hooks {number}")
    law, contact = objects.rules(draw)
    turned = [draw.uniform(-3, 3) for _ in range(3)]
    if draw.random() < 0.5:
        # Upright or flat, along the edges or not.
        turned = [draw.choice([0.0, draw.gauss(0, 0.1)]), draw.choice([0.0, math.pi / 2, turned[1]]), draw.choice([0.0, math.pi / 4, turned[2]])]
    place = [draw.uniform(-0.1, 0.1), draw.uniform(-0.1, 0.1), draw.uniform(0.32, 0.4)]
    twist = [draw.gauss(0, 0.5), draw.gauss(0, 0.5), draw.gauss(-0.3, 0.5)] + [draw.gauss(0, 3) for _ in range(3)]
    boxes = [{"kind": "box", "name": name, "min": low, "max": high} for name, low, high in draw.choice(GROUNDS)]
    return {
        "time_step": draw.choice([5e-4, 1e-3, 2e-3]),
        "duration": 1.0,
        "robot": {"file": "body.urdf", "base": "floating"},
        "initial": {"base": {"position": place, "quaternion": quaternion(*turned), "twist": twist}},
        "impact": {"law": law},
        "contact": {**contact, "site": [site(draw)]},
        "terrain": [*boxes, {"kind": "plane", "name": "ground"}],
    }


def lay_out(_arguments, _carom, numbers):
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "body.urdf").write_text(BODY)
    for number in numbers:
        file = FOLDER / f"hook{number}.toml"
        write_scenario(file, scene(number))
        yield f"hook{number}", (str(file), [])


if __name__ == "__main__":
    objects.try_alone(__doc__, 100, 30.0, FOLDER, lay_out)
