#!/usr/bin/env python3
"""Robots, ground and scenario drawn together: what is right alone may not be right beside the rest.

    benches/mixed.py [--scenes 1 50] [--hexapod legs|wheels] [--jobs 1] [--timeout 30] [--carom PROGRAM] [--out FILE]

Each scene is drawn from its number: a tree of one to four limbs with revolute and prismatic joints, limits, damping and dry friction,
collision shapes on some links and a declared site of any kind on each; a floating, planar or fixed base; a plane, slope, ramp, hills,
boxes, stairs or stepping stones, of which a plane may be a belt or shake; an impact law, friction, restitution, step, order of the
integrator, servos, springs, and loose bodies that fall on it. With --hexapod it is that of robots/rhex instead, on C-shaped legs or on
wheels, which walks on such ground, or is thrown on it. 0.6 s of it, 1 s of the hexapod. A scene that stops early, sinks deeper than
1e-9 m, misses its balance of energy by more than a fiftieth or has no end within the timeout makes the script fail; one that is
refused because of where it starts does not.
"""

import math
import os
import random
import tomllib

import foreign
import objects
import runs

FOLDER = runs.ROOT / "target" / "mixed"
RHEX = runs.ROOT / "robots" / "rhex"
ARCS = [[[0, 0, 1], [-1, 0, 0]], [[0, 0, 1], [0, 1, 0]]]


def number(draw, low, high):
    return round(draw.uniform(low, high), 3)


def geometry(draw, length):
    """A shape of a link as its element and inertia for each kilogram, about its middle."""
    kind, thick = draw.choice(["box", "capsule", "cylinder", "sphere"]), number(draw, 0.01, 0.03)
    if kind == "box":
        return f'<box size="{2 * thick} {2 * thick} {length}"/>', [(4 * thick**2 + length**2) / 12] * 2 + [8 * thick**2 / 12]
    if kind == "sphere":
        return f'<sphere radius="{thick}"/>', [0.4 * thick**2] * 3
    return f'<{kind} radius="{thick}" length="{length}"/>', [(3 * thick**2 + length**2) / 12] * 2 + [thick**2 / 2]


def link(name, mass, shape, inertia, z, collides):
    origin = f'<origin xyz="0 0 {z}"/>'
    terms = " ".join(f'{key}="{mass * i:.6g}"' for key, i in zip(["ixx", "iyy", "izz"], inertia, strict=True))
    body = f'<inertial>{origin}<mass value="{mass}"/><inertia {terms} ixy="0" ixz="0" iyz="0"/></inertial>'
    touched = f"<collision>{origin}<geometry>{shape}</geometry></collision>" if collides else ""
    return f'<link name="{name}">{body}{touched}</link>\n'


def joint(draw, name, parent, child, place):
    kind = draw.choice(["revolute", "revolute", "revolute", "continuous", "prismatic"])
    axis = draw.choice(["1 0 0", "0 1 0", "0 1 0", "0 0 1", "0.6 0 0.8"])
    reach = {"revolute": 1.5, "prismatic": 0.08}.get(kind)
    limits = ""
    if reach:
        limits = f'<limit lower="{-number(draw, 0.1, reach)}" upper="{number(draw, 0.01, reach)}" effort="100" velocity="100"/>'
    passive = f'<dynamics damping="{draw.choice([0, 0, 0.02, 0.2])}" friction="{draw.choice([0, 0, 0.05, 0.5])}"/>'
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{" ".join(map(str, place))}"/><axis xyz="{axis}"/>'
    return kind, f'<joint name="{name}" type="{kind}">{ends}{limits}{passive}</joint>\n'


def site(draw, name, on, place):
    kind = draw.choice(["point", "sphere", "sphere", "arc", "arc", "disc", "hull", "box"])
    entry = {"name": name, "link": on, "kind": kind}
    if kind == "hull":
        spread = [[round(x + draw.uniform(-0.05, 0.05), 3) for x in place] for _ in range(draw.choice([4, 5, 8]))]
        return {**entry, "points": spread}
    entry["position"] = place
    if kind == "sphere":
        entry["radius"] = number(draw, 0.01, 0.04)
    if kind == "arc":
        start, length = draw.uniform(0, 6), draw.choice([1.0, math.pi, 4.5])
        entry |= {"radius": number(draw, 0.04, 0.1), "axes": draw.choice(ARCS), "start": start, "end": start + length}
    if kind == "disc":
        entry |= {"radius": number(draw, 0.03, 0.08), "axis": draw.choice([[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 0.6, 0.8]])}
    if kind == "box":
        entry |= {"size": [number(draw, 0.03, 0.1) for _ in range(3)], "rpy": [number(draw, -1, 1), number(draw, -1, 1), 0.0]}
    return entry


def tree(draw):
    """A robot as text, its sites, its joints with their kinds, and how far it reaches."""
    size, mass = [number(draw, 0.15, 0.4) for _ in range(3)], number(draw, 0.5, 6)
    x, y, z = (edge**2 / 12 for edge in size)
    box = f'<box size="{" ".join(map(str, size))}"/>'
    text, sites, joints, reach = link("base", mass, box, [y + z, x + z, x + y], 0, draw.random() < 0.7), [], [], 0.0
    for limb in range(draw.choice([1, 1, 2, 2, 3, 4])):
        parent, place, length = "base", [number(draw, -0.5, 0.5) * size[0], number(draw, -0.5, 0.5) * size[1], -0.3 * size[2]], 0.0
        for index in range(draw.choice([1, 2, 2, 3])):
            own, name = number(draw, 0.08, 0.25), f"l{limb}{index}"
            shape, inertia = geometry(draw, own)
            text += link(name, number(draw, 0.05, 1), shape, inertia, -own / 2, draw.random() < 0.5)
            kind, more = joint(draw, f"j{limb}{index}", parent, name, place)
            text, parent, place, length = text + more, name, [0, 0, -own], length + own + 0.08
            joints.append((f"j{limb}{index}", kind == "prismatic"))
        sites.append(site(draw, f"s{limb}", parent, place))
        reach = max(reach, length)
    return f'<robot name="drawn">\n{text}</robot>\n', sites, joints, reach + max(size)


def ground(draw):
    plane = {"kind": "plane", "name": "ground"}
    kind = draw.choice(["plane", "plane", "slope", "boxes", "hills", "ramp", "stairs", "stones"])
    if kind == "plane":
        belt = {"velocity": [number(draw, -1, 1), number(draw, -0.5, 0.5), 0.0]}
        shaker = {"shake": {"amplitude": [number(draw, -0.02, 0.02) for _ in range(3)], "frequency_Hz": number(draw, 0.5, 8)}}
        motion = draw.choice([None, None, belt, shaker])
        return [{**plane, "motion": motion} if motion else plane]
    if kind == "slope":
        return [{"kind": "slope", "name": "ground", "angle": number(draw, -0.5, 0.5), "direction": number(draw, -3, 3)}]
    if kind == "boxes":
        corners = [[number(draw, -0.6, 0.3), number(draw, -0.6, 0.3)] for _ in range(3)]
        box = {"kind": "box"}
        return [plane] + [
            {**box, "name": f"b{i}", "min": [x, y, -0.1], "max": [x + 0.3, y + 0.3, 0.06]} for i, (x, y) in enumerate(corners)
        ]
    if kind == "hills":
        hills = {"expression": "0.05 * sin(4 * x) * cos(3 * y)", "origin": [-3.0, -3.0], "size": [6.0, 6.0]}
        return [{"kind": "height-field", "name": "hills", **hills, "cell": draw.choice([0.1, 0.25])}]
    if kind == "ramp":
        ramp = {"start": [number(draw, -0.5, 0.2), 0.0, 0.0], "angle": number(draw, -0.4, 0.4), "length": number(draw, 0.3, 0.8)}
        return [{"kind": "ramp", "name": "ramp", **ramp, "direction": draw.choice(["x", "-x", "y", "-y"]), "rounding": 0.1}]
    if kind == "stairs":
        flight = {"count": 4, "rise": 0.05, "run": 0.2, "width": 3.0, "start": [-0.3, 0.0, 0.0]}
        return [plane, {"kind": "stairs", "name": "flight", **flight}]
    stones = {"count": [4, 4], "size": [0.2, 0.2, 0.1], "gap": [0.05, 0.05], "start": [-0.4, -0.4, 0.05], "variation": 0.03}
    return [plane, {"kind": "stepping-stones", "name": "stones", **stones, "seed": draw.randrange(99)}]


def quaternion(draw):
    parts = [draw.gauss(0, 1) for _ in range(4)]
    return [x / math.hypot(*parts) for x in parts]


def rules(draw):
    law = draw.choice(["max-dissipation"] * 6 + objects.LAWS)
    contact = {"friction": draw.choice([0.0, 0.2, 0.5, 0.8, 1.2])}
    if law in objects.BOUNCING:
        contact["restitution"] = draw.choice([0.0, 0.0, 0.3, 0.7])
    return law, contact


def falling(draw, height):
    things = []
    for index in range(draw.choice([0, 0, 0, 1, 2])):
        kind = draw.choice(["sphere", "box", "capsule", "cylinder"])
        place = [number(draw, -0.5, 0.5), number(draw, -0.5, 0.5), round(height + 0.5 * index, 3)]
        thing = {"name": f"thing{index}", "kind": kind, "mass": number(draw, 0.2, 2), "position": place, "velocity": [0.0, 0.0, -1.5]}
        thing["rpy"] = [number(draw, -3, 3) for _ in range(3)]
        if kind == "box":
            thing["size"] = [number(draw, 0.05, 0.2) for _ in range(3)]
        else:
            thing["radius"] = number(draw, 0.03, 0.1)
        if kind in ("capsule", "cylinder"):
            thing["length"] = number(draw, 0.05, 0.2)
        things.append(thing)
    return things


def drives(draw, joints):
    def servo(name, slides):
        stiff = number(draw, 500, 3000) if slides else number(draw, 5, 60)
        wave = {"mean": 0.0, "amplitude": 0.05 if slides else 0.5, "frequency_Hz": number(draw, 0.5, 4), "phase": 0.0}
        target = {"target": {"sine": wave}} if draw.random() < 0.4 else {}
        return {"name": name, "stiffness": stiff, "damping": round(0.02 * stiff, 3), **target}

    return {"kind": "servo", "joint": [servo(*own) for own in joints]}


def scene(draw, name):
    text, sites, joints, reach = tree(draw)
    (FOLDER / f"{name}.urdf").write_text(text)
    law, contact = rules(draw)
    base, height = draw.choice(["floating"] * 4 + ["planar", "fixed"]), round(reach + 0.15, 3)
    robot, initial = {"file": f"{name}.urdf", "base": base}, {}
    initial["velocities"] = {own: number(draw, -0.2, 0.2) if slides else number(draw, -3, 3) for own, slides in joints}
    if base == "fixed":
        robot["position"] = [0.0, 0.0, round(reach * draw.uniform(0.4, 1.0) + 0.1, 3)]
    if base == "floating":
        twist = [number(draw, -1, 1), number(draw, -1, 1), -number(draw, 0, 2)] + [number(draw, -3, 3) for _ in range(3)]
        initial["base"] = {"position": [number(draw, -0.3, 0.3), number(draw, -0.3, 0.3), height], "quaternion": quaternion(draw)}
        initial["base"]["twist"] = twist
    if base == "planar":
        initial["base"] = {"x": number(draw, -0.3, 0.3), "z": height, "pitch": number(draw, -3, 3), "vz": -number(draw, 0, 2)}
    terrain = [{"kind": "plane", "name": "ground"}] if base == "planar" else ground(draw)
    contact |= {"site": sites, "self": draw.random() < 0.3}
    drawn = {"time_step": draw.choice([2.5e-4, 5e-4, 1e-3, 1e-3, 2e-3, 4e-3]), "duration": 0.6, "robot": robot, "initial": initial}
    drawn |= {"impact": {"law": law}, "contact": contact, "terrain": terrain, "object": falling(draw, 2 * reach + 0.6)}
    drawn["stepper"] = {"order": draw.choice([2, 2, 4, 6, 8])}
    if draw.random() < 0.5:
        drawn["controller"] = drives(draw, joints)
    if draw.random() < 0.25:
        own, slides = draw.choice(joints)
        drawn["spring"] = [{"joint": own, "stiffness": 500.0 if slides else 20.0, "damping": draw.choice([0.0, 0.05]), "rest": 0.0}]
    return drawn


def hexapod(draw, feet):
    drawn = tomllib.loads((RHEX / "tripod.toml").read_text())
    for key in ("description", "locomotion", "output"):
        drawn.pop(key)
    drawn["robot"]["file"] = os.path.relpath(RHEX / "rhex.urdf", FOLDER)
    drawn |= {"duration": 1.0, "time_step": draw.choice([5e-4, 1e-3, 1e-3, 2e-3]), "terrain": ground(draw)}
    law, contact = rules(draw)
    sites, hips = drawn["contact"]["site"], drawn["initial"]["joints"]
    for own in sites:
        if feet == "wheels" and own["kind"] == "arc":
            for key in ("axes", "start", "end"):
                own.pop(key)
            own |= {"kind": "disc", "axis": [0.0, 1.0, 0.0]}
    drawn |= {"impact": {"law": law}, "contact": {**contact, "site": sites}}
    place = [number(draw, -0.4, 0.4), number(draw, -0.4, 0.4)]
    drawn["controller"] |= {"start": 0.1, "stop": 5.0}
    if draw.random() < 0.5:
        drawn["initial"]["base"] = {"position": [*place, number(draw, 0.36, 0.41)]}
        return drawn
    twist = [number(draw, -1, 1), number(draw, -1, 1), -number(draw, 0, 1)] + [number(draw, -3, 3) for _ in range(3)]
    drawn["initial"]["base"] = {"position": [*place, number(draw, 0.55, 0.65)], "quaternion": quaternion(draw), "twist": twist}
    drawn["initial"]["joints"] = {hip: number(draw, -3, 3) for hip in hips}
    limp, held = {"kind": "none"}, {"kind": "servo", "default": {"stiffness": 20.0, "damping": 0.4}}
    drawn["controller"] = draw.choice([limp, held, drawn["controller"]])
    return drawn


def lay_out(arguments, _carom, numbers):
    feet = arguments.hexapod
    FOLDER.mkdir(parents=True, exist_ok=True)
    for index in numbers:
        name = f"{feet or 'robot'}-{index}"
        draw = random.Random(f"mixed {name}")
        file = FOLDER / f"{name}.toml"
        foreign.write_scenario(file, hexapod(draw, feet) if feet else scene(draw, name))
        yield name, (str(file), [])


def add_options(parser):
    parser.add_argument("--hexapod", choices=["legs", "wheels"], help="the hexapod of robots/rhex on these")


if __name__ == "__main__":
    objects.try_alone(__doc__, 50, 30.0, FOLDER, lay_out, add_options)
