#!/usr/bin/env python3
"""Robots of the package example-robot-data, by Carom and by MuJoCo in turns.

    benches/foreign.py [--rounds 1] [--only NAME ...] [--seed 1] [--timeout 100] [--carom PROGRAM] [--out FILE]

Each robot is dropped three times from just above the ground: limp, limp with dry friction in every joint, and under the
servos that `carom init` finds for it; pose, velocity and friction of the joints are drawn from the seed. What touches is the
same for both engines: balls of 2 cm at the last links and those before them, and a box on the base. How the engines are
timed, and what they are given, is as in runs.py.
"""

import argparse
import json
import math
import random
import statistics
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import runs

PACKAGE = "example-robot-data==6.0.0"
SHARE = "cmeel.prefix/share/example-robot-data"
FOLDER = runs.ROOT / "target" / "foreign"
ROBOTS = {
    "a1": "a1_description/urdf/a1.urdf",
    "alex": "alex_description/urdf/alex_nub_hands.urdf",
    "allegro": "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "anymal-c": "anymal_c_simple_description/urdf/anymal.urdf",
    "b1": "b1_description/urdf/b1.urdf",
    "b1-z1": "b1_description/urdf/b1-z1.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
    "bolt": "bolt_description/robots/bolt.urdf",
    "centauro": "centauro_description/urdf/centauro.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "go1": "go1_description/urdf/go1.urdf",
    "go2": "go2_description/urdf/go2.urdf",
    "hyq": "hyq_description/robots/hyq_no_sensors.urdf",
    "icub": "icub_description/robots/icub_reduced.urdf",
    "laikago": "laikago_description/urdf/laikago.urdf",
    "panda": "panda_description/urdf/panda_collision.urdf",
    "quadruped": "quadruped_description/urdf/quadruped.urdf",
    "romeo": "romeo_description/urdf/romeo_small.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "talos": "talos_data/robots/talos_reduced_box.urdf",
}
KINDS = ["limp", "dry", "servo"]


def prepare():
    """A Python with MuJoCo, and the folder of the robots."""
    python = runs.prepare()
    script = f"import sysconfig; print(sysconfig.get_paths()['purelib'] + '/{SHARE}')"

    def share():
        return Path(subprocess.run([python, "-c", script], check=True, stdout=subprocess.PIPE, text=True).stdout.strip())

    if not share().exists():
        remedy = f"pip cannot install {PACKAGE}; it must reach a package index"
        runs.demand([python, "-m", "pip", "install", "--quiet", "--no-deps", PACKAGE], remedy)
    return python, share()


def moving_links(file):
    """The base, the links at which the tree ends, and the moving links before those; what is fixed to a link counts as it."""
    robot = ElementTree.parse(file).getroot()
    joints = {joint.find("child").get("link"): joint for joint in robot.findall("joint")}

    def carrier(link):
        while link in joints and joints[link].get("type") == "fixed":
            link = joints[link].find("parent").get("link")
        return link

    carriers = [carrier(link.get("name")) for link in robot.findall("link")]
    base = next(link for link in carriers if link not in joints)
    before = {link: carrier(joints[link].find("parent").get("link")) for link in carriers if link in joints}
    last = sorted(set(before) - set(before.values()))
    return base, last, sorted({before[link] for link in last} - {base})


def sites(file):
    base, last, previous = moving_links(file)
    for link in last + previous:
        yield {"name": f"ball_{link}", "link": link, "kind": "sphere", "radius": 0.02, "position": [0.0, 0.0, 0.0]}
    size = [0.2, 0.15, 0.1]
    yield {"name": f"box_{base}", "link": base, "kind": "box", "size": size, "position": [0.0, 0.0, 0.0]}


def limits(file):
    """Lower and upper limit of each joint that has them."""
    for joint in ElementTree.parse(file).getroot().findall("joint"):
        limit = joint.find("limit")
        if joint.get("type") in ("revolute", "prismatic") and limit is not None:
            yield joint.get("name"), (float(limit.get("lower", 0)), float(limit.get("upper", 0)))


def drawn(scenario, file, kind, seed):
    """The scenario of `carom init` with another beginning."""
    draw = random.Random(f"{seed} {file.name} {kind}")
    # Servos hold what is near to their pose.
    wide = 0.05 if kind == "servo" else 1.0
    axis = [draw.gauss(0, 1) for _ in range(3)]
    half = 0.5 * wide * draw.uniform(-1, 1)
    length = math.hypot(*axis)
    base = scenario["initial"]["base"]
    base["position"][2] += 0.05 if kind == "servo" else 0.3
    base["quaternion"] = [math.sin(half) * x / length for x in axis] + [math.cos(half)]
    base["twist"] = [wide * draw.gauss(0, spread) for spread in (0.5, 0.5, 0.3, 1.0, 1.0, 1.0)]
    joints, within = scenario["initial"].get("joints", {}), dict(limits(file))
    for name, position in joints.items():
        low, high = within.get(name, (-math.inf, math.inf))
        low, high = max(low, position - wide), min(high, position + wide)
        joints[name] = draw.uniform(low + 0.01 * (high - low), high - 0.01 * (high - low))
    if kind == "dry":
        scenario["robot"]["joint"] = {name: {"friction": draw.uniform(0.02, 1.5)} for name in joints}
    if kind != "servo":
        scenario.pop("controller", None)
    scenario["duration"] = 1.5
    scenario["contact"] = {"friction": 0.7, "restitution": 0.0, "spheres": False, "collisions": []}
    scenario["contact"]["site"] = list(sites(file))
    return scenario


def written(value):
    """A value as TOML, tables inline."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {written(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(written(item) for item in value) + "]"
    return json.dumps(value)


def write_scenario(file, scenario):
    file.write_text("".join(f"{key} = {written(value)}\n" for key, value in scenario.items()))


def lay_out(carom, share, names, seed):
    """Writes the scenarios and lists them; what `carom init` refuses is told."""
    found = {}
    for name in names:
        file = share / "robots" / ROBOTS[name]
        start = FOLDER / f"{name}.toml"
        start.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [carom, "init", file, "--base", "floating", "--force", "--out", start], stderr=subprocess.PIPE, text=True
        )
        if done.returncode != 0:
            print(f"foreign.py: {name}: {done.stderr.strip()}", file=sys.stderr)
            continue
        for kind in KINDS:
            scenario = drawn(tomllib.loads(start.read_text()), file, kind, seed)
            out = FOLDER / f"{name}-{kind}.toml"
            write_scenario(out, scenario)
            found[f"{name}-{kind}"] = (str(out), [])
    return found


def middle(found):
    """The median of the times of each kind over MuJoCo's."""
    for kind in KINDS:
        ratios = [
            runs.median(engines["MuJoCo"], "real_time") / runs.median(engines["Carom"], "real_time")
            for name, engines in found.items()
            if name.endswith(kind) and engines["Carom"][-1]["status"] == "completed"
        ]
        if ratios:
            yield f"{kind}: {statistics.median(ratios):.2f} in the middle, {max(ratios):.2f} at most, of {len(ratios)} robots"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    runs.add_options(parser, 1, 100.0, FOLDER / "table.md")
    parser.add_argument("--only", nargs="+", choices=ROBOTS, metavar="NAME", help=f"some of {', '.join(ROBOTS)}")
    parser.add_argument("--seed", type=int, default=1, help="of poses, velocities and joint friction (1)")
    arguments = parser.parse_args()
    runs.check(arguments)
    python, share = prepare()
    carom = arguments.carom or runs.build()
    runs.RUNS = lay_out(carom, share, arguments.only or list(ROBOTS), arguments.seed)
    found = runs.measure(list(runs.RUNS), arguments.rounds, carom, python, arguments.timeout)
    runs.publish("\n".join([runs.table(found), "", *middle(found)]), arguments.out)


if __name__ == "__main__":
    main()
