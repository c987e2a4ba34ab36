#!/usr/bin/env python3
"""Scenes of loose boxes, balls, capsules and cylinders that fall on the ground and on each other, by Carom and by MuJoCo in turns.

    benches/objects.py [--scenes 1 10] [--thrown | --pushed | --tipped] [--rounds 1] [--jobs 1] [--timeout 100] [--carom PROGRAM]
                       [--alone] [--out FILE]

Each scene is drawn from its number: two to eight bodies, their sizes, weights, attitudes, speeds, friction, restitution and
impact law, on a plane or beside a step, for two seconds. With --thrown two to four fly at each other instead, thin or thick, under
little or no weight, in steps of 0.5 to 8 ms: what touches only within a step shows there. With --pushed they stand upright on the
ground, some of one height, and slide into each other and into walls, faces, edges and rims on a level: what rounding decides shows
there. With --tipped two of one height stand a hair apart and a ball tips one against the other, by a face, an upright edge or nearly
so. How the engines are timed is as in runs.py. A scene of Carom that stops early, sinks deeper than 1e-9 m, misses its balance
of energy by more than a fiftieth or has no end within the timeout makes the script fail; one that is refused because its bodies
overlap at the start does not.
"""

import argparse
import math
import random
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import runs
from foreign import write_scenario

FOLDER = runs.ROOT / "target" / "objects"
BOUNCING = ["propagative", "stronge", "plus"]
LAWS = BOUNCING + ["sequential", "plastic", "max-dissipation", "anitescu-potra", "routh"]
# The bound of the scheme: contacts are closed to it.
DEEPEST = 1e-9
# Share of the energy that steps of finite length may miss, also where bodies whirl.
MISSED = 0.02


def body(draw, name, place):
    kind = draw.choice(["box", "sphere", "capsule", "cylinder"])
    entry = {"name": name, "kind": kind, "mass": round(math.exp(draw.uniform(-2, 1.5)), 4), "position": place}
    if kind == "box":
        entry["size"] = [round(draw.uniform(0.06, 0.2), 3) for _ in range(3)]
    else:
        entry["radius"] = round(draw.uniform(0.03, 0.09), 3)
    if kind in ("capsule", "cylinder"):
        entry["length"] = round(draw.uniform(0.05, 0.16), 3)
    # Half of them stand upright or lie: their edges and ends strike as wholes.
    if draw.random() < 0.5:
        entry["rpy"] = [draw.choice([0.0, math.pi / 2]), 0.0, 0.0]
    else:
        entry["rpy"] = [round(draw.uniform(-math.pi, math.pi), 4) for _ in range(3)]
    if draw.random() < 0.7:
        entry["velocity"] = [round(draw.gauss(0, 0.6), 3), round(draw.gauss(0, 0.6), 3), round(draw.gauss(-0.3, 0.5), 3)]
        entry["spin"] = [round(draw.gauss(0, 3), 3) for _ in range(3)]
    return entry


def rules(draw, chosen=lambda rough: rough):
    """A law, and friction and restitution under it."""
    law, contact = draw.choice(LAWS), {"friction": chosen(round(draw.uniform(0, 1), 3))}
    if law in BOUNCING:
        contact["restitution"] = draw.choice([0.0, round(draw.uniform(0, 0.9), 3)])
    return law, contact


def scenario(law, contact, bodies, time_step, duration, **rest):
    own = {"time_step": time_step, "duration": duration, "robot": {"file": "none.urdf"}}
    return {**own, "impact": {"law": law}, "contact": contact, "object": bodies, **rest}


def scene(number):
    draw = random.Random(f"loose objects {number}")
    law, contact = rules(draw)
    terrain = [{"kind": "plane", "name": "ground"}]
    if draw.random() < 0.3:
        terrain.append({"kind": "box", "name": "step", "min": [0.1, -1.0, 0.0], "max": [1.0, 1.0, 0.08]})
    bodies, height = [], 0.27
    for index in range(draw.randint(2, 8)):
        # One above the other, now and then beside it: no two overlap at the start.
        place = [round(draw.gauss(0, 0.08), 4), round(draw.gauss(0, 0.08), 4), round(height, 4)]
        bodies.append(body(draw, f"body{index}", place))
        height += 0.31
    return scenario(law, contact, bodies, 1e-3, 2.0, terrain=terrain)


def size(draw):
    return round(draw.choice([draw.uniform(0.01, 0.03), draw.uniform(0.1, 0.3)]), 4)


def thrown(number):
    draw = random.Random(f"thrown objects {number}")
    law, contact = rules(draw)
    count = draw.randint(2, 4)
    bodies = []
    for index in range(count):
        angle = 2 * math.pi * index / count
        ahead = [math.cos(angle), math.sin(angle), 0.0]
        entry = body(draw, f"body{index}", [round(0.5 * x + draw.uniform(-0.05, 0.05), 4) for x in ahead])
        if entry["kind"] == "box":
            entry["size"] = [size(draw) for _ in range(3)]
        else:
            entry["radius"] = 0.6 * size(draw)
        if entry["kind"] in ("capsule", "cylinder"):
            entry["length"] = size(draw)
        speed = draw.uniform(1, 3)
        entry["velocity"] = [round(-speed * x + draw.gauss(0, 0.1), 3) for x in ahead]
        entry["spin"] = [round(draw.gauss(0, 8), 3) for _ in range(3)]
        bodies.append(entry)
    step = draw.choice([5e-4, 2e-3, 4e-3, 8e-3])
    robot = {"file": "none.urdf", "gravity": draw.choice([[0.0, 0.0, 0.0], [0.0, 0.0, -1.0]])}
    return scenario(law, contact, bodies, step, 1.0, robot=robot)


def pushed(number):
    draw = random.Random(f"pushed objects {number}")
    law, contact = rules(draw, lambda rough: draw.choice([0.0, rough]))
    terrain = [{"kind": "plane", "name": "ground"}]
    for index in range(draw.choice([0, 0, 1, 2])):
        x = draw.choice([-1, 1]) * (0.7 + 0.4 * index)
        low, high = [round(x - 0.1, 3), -0.5, 0.0], [round(x + 0.1, 3), 0.5, draw.choice([0.1, 0.15, 0.2])]
        terrain.append({"kind": "box", "name": f"wall{index}", "min": low, "max": high})
    bodies, count = [], draw.randint(2, 5)
    for index in range(count):
        kind, height = draw.choice(["box", "box", "cylinder", "cylinder", "sphere", "capsule"]), draw.choice([0.1, 0.15, 0.2])
        angle = 2 * math.pi * index / count
        ahead = [math.cos(angle), math.sin(angle)]
        entry = {"name": f"body{index}", "kind": kind, "mass": draw.choice([0.3, 1.0, 3.0])}
        entry["position"] = [round(0.4 * ahead[0], 4), round(0.4 * ahead[1] + draw.uniform(-0.03, 0.03), 4), height / 2]
        if kind == "box":
            entry["size"] = [draw.choice([0.08, 0.12]), draw.choice([0.08, 0.12]), height]
        else:
            entry["radius"] = height / 2 if kind == "sphere" else 0.04
        if kind in ("cylinder", "capsule"):
            entry["length"] = height if kind == "cylinder" else round(height - 0.08, 3)
        entry["rpy"] = [0.0, 0.0, draw.choice([0.0, math.pi / 2, round(draw.uniform(-math.pi, math.pi), 4)])]
        speed = draw.uniform(0.5, 3)
        across = draw.choice([0.0, 0.0, draw.gauss(0, 0.2)])
        entry["velocity"] = [round(-speed * ahead[0], 3), round(-speed * ahead[1] + across, 3), 0.0]
        entry["spin"] = [0.0, 0.0, draw.choice([0.0, 0.0, round(draw.gauss(0, 3), 3)])]
        bodies.append(entry)
    return scenario(law, contact, bodies, draw.choice([5e-4, 1e-3, 1e-3, 4e-3]), 1.0, terrain=terrain)


def tipped(number):
    draw = random.Random(f"tipped objects {number}")
    law, contact = rules(draw, lambda rough: draw.choice([0.0, 0.0, rough]))
    height, mass, half, radius = 0.15, draw.choice([0.3, 1.0, 3.0]), 0.04, 0.03
    turn = draw.choice([0.0, math.pi / 4, draw.uniform(-0.8, 0.8)]) + draw.choice([0.0, draw.gauss(0, 1e-3), draw.gauss(0, 1e-5)])
    ahead = half * (abs(math.sin(turn)) + abs(math.cos(turn)))
    box = {"name": "box", "kind": "box", "mass": mass, "position": [0.0, 0.0, height / 2], "size": [2 * half, 2 * half, height]}
    box["rpy"] = [0.0, 0.0, turn]
    beside, apart = draw.uniform(-0.02, 0.02), draw.choice([1e-6, 1e-5, 1e-4, 1e-3])
    if draw.random() < 0.7:
        other, reach = {"kind": "cylinder", "radius": half, "length": height}, half
        if draw.random() < 0.3:
            beside = 0.0
    else:
        yaw = draw.choice([0.0, math.pi / 4, draw.uniform(-0.8, 0.8)])
        reach = half * (abs(math.sin(yaw)) + abs(math.cos(yaw)))
        other = {"kind": "box", "size": [2 * half, 2 * half, height], "rpy": [0.0, 0.0, yaw]}
    other |= {"name": "other", "mass": draw.choice([0.3, 1.0, 3.0]), "position": [ahead + reach + apart, beside, height / 2]}
    place = [-ahead - radius - draw.uniform(0.001, 0.02), draw.uniform(-0.02, 0.02), draw.uniform(0.04, 0.14)]
    ball = {"name": "ball", "kind": "sphere", "mass": 0.5, "position": place, "radius": radius, "velocity": [draw.uniform(0.3, 3), 0.0, 0.0]}
    bodies = [box, other, ball]
    return scenario(law, contact, bodies, draw.choice([5e-4, 1e-3, 1e-3, 4e-3]), 0.25, terrain=[{"kind": "plane", "name": "ground"}])


def lay_out(numbers, draw):
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "none.urdf").write_text('<robot name="none"><link name="nothing"/></robot>\n')
    for number in numbers:
        name = f"{draw.__name__}{number}"
        out = FOLDER / f"{name}.toml"
        write_scenario(out, draw(number))
        yield name, (str(out), [])


def measure_alone(names, carom, timeout, jobs):
    with ThreadPoolExecutor(jobs) as pool:
        results = pool.map(lambda name: runs.run_carom(carom, *runs.RUNS[name], timeout), names)
        return {name: {"Carom": [result], "MuJoCo": []} for name, result in zip(names, results, strict=True)}


def wrong(result):
    if result["status"] == "refused":
        return ": initial" not in result["reason"]
    missed = abs(result.get("residual_J", 0.0)) > MISSED * max(result.get("energy_J", 0.0), 0.1)
    return result["status"] != "completed" or missed or result["penetration_m"] > DEEPEST


def numbers_of(arguments):
    """The first and the last scene, where options make sense."""
    runs.check(arguments)
    name, (first, last) = Path(sys.argv[0]).name, arguments.scenes
    if first > last:
        sys.exit(f"{name}: --scenes {first} {last}: the first number must not be above the last")
    if arguments.jobs < 1:
        sys.exit(f"{name}: --jobs must be at least 1")
    return first, last


def tell(found, out):
    """Shows the table, and fails where something is not as it must be."""
    ends = {name: engines["Carom"][-1] for name, engines in found.items()}
    speeds = [result["real_time"] for result in ends.values() if result["status"] == "completed"]
    text = f"{runs.table(found)}\n\n{len(speeds)} of {len(ends)} completed"
    if speeds:
        text += f", {statistics.median(speeds):.3g} times real time in the middle"
    runs.publish(text, out)
    bad = [name for name, result in ends.items() if wrong(result)]
    if bad:
        sys.exit(f"{Path(sys.argv[0]).name}: not as it must be: {', '.join(bad)}")


def try_alone(doc, last, timeout, folder, lay_out, add_options=lambda parser: None):
    """Scenes 1 to `last`, or those of the options of a script, by Carom alone: what `lay_out` of the arguments, the program and the
    numbers yields."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = f"numbers (1 {last})"
    parser.add_argument("--scenes", type=int, nargs=2, default=[1, last], metavar=("FIRST", "LAST"), help=numbers)
    runs.add_options(parser, None, timeout, folder / "table.md")
    add_options(parser)
    parser.add_argument("--jobs", type=int, default=1, help="scenes at once (1)")
    arguments = parser.parse_args()
    first, last = numbers_of(arguments)
    carom = arguments.carom or runs.build()
    runs.RUNS = dict(lay_out(arguments, carom, range(first, last + 1)))
    tell(measure_alone(list(runs.RUNS), carom, arguments.timeout, arguments.jobs), arguments.out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, nargs=2, default=[1, 10], metavar=("FIRST", "LAST"), help="numbers (1 10)")
    runs.add_options(parser, 1, 100.0, FOLDER / "table.md")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--thrown", dest="draw", action="store_const", const=thrown, default=scene, help="fly at each other")
    kinds.add_argument("--pushed", dest="draw", action="store_const", const=pushed, help="stand, and slide into each other")
    kinds.add_argument("--tipped", dest="draw", action="store_const", const=tipped, help="stand, and tip against each other")
    parser.add_argument("--alone", action="store_true", help="Carom alone, once, without MuJoCo")
    parser.add_argument("--jobs", type=int, default=1, help="scenes at once, with --alone (1)")
    arguments = parser.parse_args()
    first, last = numbers_of(arguments)
    carom = arguments.carom or runs.build()
    runs.RUNS = dict(lay_out(range(first, last + 1), arguments.draw))
    names = list(runs.RUNS)
    if arguments.alone:
        found = measure_alone(names, carom, arguments.timeout, arguments.jobs)
    else:
        found = runs.measure(names, arguments.rounds, carom, runs.prepare(), arguments.timeout)
    tell(found, arguments.out)


if __name__ == "__main__":
    main()
