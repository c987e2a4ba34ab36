"""A Carom scenario run by MuJoCo: implicit-fast integrator, elliptic cones, one thread.

    mujoco_runs.py SCENARIO.toml [key=value ...]

Prints one JSON object. The time is that of one call of mujoco.rollout over all steps, in compiled code; the controls of
every step are worked out beforehand. The scenario's sites become massless geometry that touches the terrain and nothing
else: an arc is a row of small spheres. Servos have the scenario's gains and effort limits; a motor's speed-torque line
is left out. Joint limits, damping and dry friction are those of the robot's file, but for the friction that the scenario
sets. Loose objects have the scenario's shapes and masses, and touch each other as well.
"""

import json
import math
import sys
import time
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import mujoco
import numpy
from mujoco import rollout

SITE, TERRAIN = 1, 2
# Spheres along an arc: their radius in metres and their distance in radians.
ARC_SPHERE, ARC_SPACING = 2e-3, math.radians(5)
POINT_RADIUS = 1e-4
SPHERE, BOX, PLANE = mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_PLANE
CAPSULE, CYLINDER = mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_CYLINDER


def read(path, overrides):
    scenario = tomllib.loads(path.read_text())
    for entry in overrides:
        key, value = entry.split("=", 1)
        table = scenario
        *places, last = key.split(".")
        for place in places:
            table = table.setdefault(place, {})
        table[last] = tomllib.loads(f"x = {value}")["x"]
    return scenario


def numbers(text):
    return [float(x) for x in (text or "0 0 0").split()]


def plain_robot(file):
    """The URDF without shapes, for MuJoCo's reader, and its collision spheres (link, radius, centre)."""
    robot = ElementTree.parse(file).getroot()
    spheres = []
    for link in robot.findall("link"):
        for shape in link.findall("collision"):
            sphere, origin = shape.find("geometry/sphere"), shape.find("origin")
            if sphere is not None:
                center = numbers(origin.get("xyz") if origin is not None else None)
                spheres.append((link.get("name"), float(sphere.get("radius")), center))
        for shape in link.findall("collision") + link.findall("visual"):
            link.remove(shape)
    settings = {"fusestatic": "false", "balanceinertia": "true", "boundmass": "1e-6", "boundinertia": "1e-9"}
    ElementTree.SubElement(ElementTree.SubElement(robot, "mujoco"), "compiler", settings)
    return ElementTree.tostring(robot, encoding="unicode"), spheres


def turn(angles):
    """Quaternion (w, x, y, z) of roll, pitch and yaw."""
    quaternion = numpy.zeros(4)
    mujoco.mju_euler2Quat(quaternion, numpy.array(angles, float), "XYZ")
    return quaternion


def turn_from_vertical(normal):
    quaternion = numpy.zeros(4)
    mujoco.mju_quatZ2Vec(quaternion, numpy.array(normal, float))
    return quaternion


def add_sites(spec, scenario, spheres):
    bodies = {body.name: body for body in spec.bodies}
    contact = scenario.get("contact", {})

    def add(link, **shape):
        bodies[link].add_geom(contype=SITE, conaffinity=TERRAIN, mass=0, **shape)

    if contact.get("spheres", True):
        for link, radius, center in spheres:
            add(link, type=SPHERE, size=[radius, 0, 0], pos=center)
    for site in contact.get("site", []):
        center = numpy.array(site.get("position", [0.0, 0.0, 0.0]))
        if site["kind"] == "sphere":
            add(site["link"], type=SPHERE, size=[site["radius"], 0, 0], pos=center)
        elif site["kind"] == "point":
            add(site["link"], type=SPHERE, size=[POINT_RADIUS, 0, 0], pos=center)
        elif site["kind"] == "box":
            half = [x / 2 for x in site["size"]]
            add(site["link"], type=BOX, size=half, pos=center, quat=turn(site.get("rpy", [0, 0, 0])))
        elif site["kind"] == "arc":
            along, across = (numpy.array(axis) for axis in site["axes"])
            reach = site["radius"] + site.get("thickness", 0.0) - ARC_SPHERE
            count = math.ceil((site["end"] - site["start"]) / ARC_SPACING)
            for angle in numpy.linspace(site["start"], site["end"], count + 1):
                point = center + reach * (math.cos(angle) * along + math.sin(angle) * across)
                add(site["link"], type=SPHERE, size=[ARC_SPHERE, 0, 0], pos=point)
        else:
            sys.exit(f"mujoco_runs.py: no geometry for sites of kind {site['kind']}")


def add_terrain(spec, scenario):
    for piece in scenario.get("terrain", []):
        layer = {"contype": TERRAIN, "conaffinity": SITE}
        if piece["kind"] == "plane":
            quaternion = turn_from_vertical(piece.get("normal", [0, 0, 1]))
            point = piece.get("point", [0, 0, 0])
            spec.worldbody.add_geom(type=PLANE, size=[100, 100, 0.1], pos=point, quat=quaternion, **layer)
        else:
            low, high = numpy.array(piece["min"]), numpy.array(piece["max"])
            spec.worldbody.add_geom(type=BOX, size=(high - low) / 2, pos=(high + low) / 2, **layer)


def add_objects(spec, scenario):
    for entry in scenario.get("object", []):
        kind = entry["kind"]
        if kind == "box":
            shape, size = BOX, [x / 2 for x in entry["size"]]
        elif kind == "sphere":
            shape, size = SPHERE, [entry["radius"], 0, 0]
        else:
            shape, size = CAPSULE if kind == "capsule" else CYLINDER, [entry["radius"], entry["length"] / 2, 0]
        place = {"pos": entry.get("position", [0, 0, 0]), "quat": turn(entry.get("rpy", [0, 0, 0]))}
        body = spec.worldbody.add_body(name=entry["name"], **place)
        body.add_freejoint()
        weight = {key: entry[key] for key in ("mass", "density") if key in entry}
        body.add_geom(type=shape, size=size, contype=SITE, conaffinity=SITE | TERRAIN, **weight)


def start_objects(model, data, scenario):
    for entry in scenario.get("object", []):
        body = model.body(entry["name"])
        first = model.jnt_dofadr[body.jntadr[0]]
        rotation = numpy.zeros(9)
        mujoco.mju_quat2Mat(rotation, body.quat)
        data.qvel[first : first + 3] = entry.get("velocity", [0, 0, 0])
        data.qvel[first + 3 : first + 6] = rotation.reshape(3, 3).T @ entry.get("spin", [0, 0, 0])


def drives(scenario, folder):
    """Of each driven joint: name, stiffness, damping, effort limit, and its wanted position and rate over time."""
    controller = scenario.get("controller", {"kind": "none"})
    start = scenario.get("initial", {}).get("joints", {})
    if controller["kind"] == "servo":
        for joint in controller["joint"]:
            target = joint.get("target", start.get(joint["name"], 0.0))
            if not isinstance(target, (int, float)):
                sys.exit("mujoco_runs.py: servo targets must be constant")
            gains = joint["stiffness"], joint.get("damping", 0.0), joint.get("effort_limit")
            yield joint["name"], *gains, lambda t, target=target: (target, 0.0)
    elif controller["kind"] == "gait":
        gait = tomllib.loads((folder / "gaits" / f"{controller['gait']}.toml").read_text())
        phases = {leg["name"]: leg["phase"] for leg in gait["leg"]}
        for leg in controller["leg"]:
            gains = controller["stiffness"], controller["damping"], controller.get("torque_limit")
            yield leg["joint"], *gains, leg_program(gait, controller, phases[leg["name"]], start[leg["joint"]])


def leg_program(gait, controller, phase, stand):
    """Wanted angle and rate of a leg over time: it stands, goes to its place, walks, and returns to standing."""
    duty, sweep, period = gait["duty_factor"], gait["sweep"], gait["period"]
    swing = (math.tau - sweep) / (1 - duty)
    shift, ramp = controller.get("shift", 0.3), controller.get("ramp", 0.3)

    def clock(cycles):
        whole = math.floor(cycles + 0.5)
        s = cycles - whole
        middle = gait["offset"] + math.tau * whole
        if abs(s) <= duty / 2:
            return middle + sweep * s / duty, sweep / duty
        return middle + math.copysign(sweep / 2, s) + swing * (s - math.copysign(duty / 2, s)), swing

    first = clock(phase)[0]
    way = (first - stand) % math.tau
    back = math.tau - way
    if abs(phase - math.floor(phase + 0.5)) <= duty / 2:
        way = (way + math.pi) % math.tau - math.pi
        back = -way
    last = math.inf
    if "stop" in controller:
        last = math.ceil(max(controller["stop"] - controller["start"] - shift, ramp) / period - 1e-9)

    def eased(x):
        return x * x * (3 - 2 * x), 6 * x * (1 - x) / shift

    def wanted(t):
        since = t - controller.get("start", 0.0)
        if since < 0:
            return stand, 0.0
        if since < shift:
            share, rate = eased(since / shift)
            return stand + way * share, way * rate
        since -= shift
        left = last * period + ramp - since
        if left <= 0:
            share, rate = eased(min(1.0, -left / shift))
            return stand + way + math.tau * last + back * share, back * rate
        if since < ramp:
            cycles, rate = since * since / (2 * ramp * period), since / (ramp * period)
        elif left > ramp:
            cycles, rate = (since - ramp / 2) / period, 1 / period
        else:
            cycles, rate = last - left * left / (2 * ramp * period), left / (ramp * period)
        angle, slope = clock(cycles + phase)
        return stand + way + angle - first, slope * rate

    return wanted


def add_servo(spec, name, stiffness, damping, limit):
    actuator = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    actuator.gaintype, actuator.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
    actuator.gainprm[0] = 1
    actuator.biasprm[:3] = [0, -stiffness, -damping]
    if limit is not None:
        actuator.forcelimited, actuator.forcerange = True, [-limit, limit]


def assemble(scenario, folder):
    """Model, data at the initial state, and controls of every step."""
    text, spheres = plain_robot(folder / scenario["robot"]["file"])
    spec = mujoco.MjSpec.from_string(text)
    spec.option.timestep = scenario["time_step"]
    spec.option.gravity = scenario["robot"].get("gravity", [0, 0, -9.81])
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    floating = scenario["robot"].get("base", "fixed") == "floating"
    if floating:
        spec.worldbody.first_body().add_freejoint()
    add_sites(spec, scenario, spheres)
    add_terrain(spec, scenario)
    add_objects(spec, scenario)
    driven = list(drives(scenario, folder))
    for name, *gains, _ in driven:
        add_servo(spec, name, *gains)
    model = spec.compile()
    model.geom_friction[:, 0] = scenario.get("contact", {}).get("friction", 0.0)
    for name, joint in scenario["robot"].get("joint", {}).items():
        if "friction" in joint:
            model.dof_frictionloss[model.joint(name).dofadr[0]] = joint["friction"]
    data = mujoco.MjData(model)
    initial = scenario.get("initial", {})
    if floating:
        base = initial.get("base", {})
        data.qpos[:3] = base.get("position", [0, 0, 0])
        x, y, z, w = base.get("quaternion", [0, 0, 0, 1])
        data.qpos[3:7] = [w, x, y, z]
        twist = base.get("twist", [0] * 6)
        rotation = numpy.zeros(9)
        mujoco.mju_quat2Mat(rotation, data.qpos[3:7])
        data.qvel[:3] = rotation.reshape(3, 3) @ twist[:3]
        data.qvel[3:6] = twist[3:]
    for name, position in initial.get("joints", {}).items():
        data.qpos[model.joint(name).qposadr[0]] = position
    for name, rate in initial.get("velocities", {}).items():
        data.qvel[model.joint(name).dofadr[0]] = rate
    start_objects(model, data, scenario)
    steps = round(scenario["duration"] / scenario["time_step"])
    controls = numpy.zeros((1, steps, len(driven)))
    for column, (_, stiffness, damping, _, wanted) in enumerate(driven):
        for k in range(steps):
            angle, rate = wanted(k * scenario["time_step"])
            controls[0, k, column] = stiffness * angle + damping * rate
    mujoco.mj_forward(model, data)
    return model, data, controls


def deepest(model, data, configuration):
    """Depth of the deepest contact at a configuration, in metres."""
    data.qpos[:] = configuration
    mujoco.mj_kinematics(model, data)
    mujoco.mj_collision(model, data)
    return -min((contact.dist for contact in data.contact[: data.ncon]), default=0.0)


def main():
    path = Path(sys.argv[1])
    scenario = read(path, sys.argv[2:])
    model, data, controls = assemble(scenario, path.parent)
    state = numpy.zeros((1, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    mujoco.mj_getState(model, data, state[0], mujoco.mjtState.mjSTATE_FULLPHYSICS)
    start_depth = deepest(model, data, data.qpos.copy())
    steps = controls.shape[1]
    before = time.perf_counter()
    states, _ = rollout.rollout(model, [data], state, controls if model.nu else None, nstep=steps)
    wall = time.perf_counter() - before
    rows = states[0, :: scenario.get("output", {}).get("every", 10), 1 : 1 + model.nq]
    depths = [deepest(model, data, row) for row in rows]
    last = states[0, -1, 1 : 1 + model.nq]
    print(json.dumps({
        "version": mujoco.__version__,
        "dof": model.nv,
        "wall_s": wall,
        "steps": steps,
        "real_time": scenario["duration"] / wall,
        "start_depth_m": start_depth,
        "sink_m": max(depths),
        "final_sink_m": deepest(model, data, last),
        "final_base": last[:3].tolist(),
        "finite": bool(numpy.isfinite(states).all()),
    }))


if __name__ == "__main__":
    main()
