"""MuJoCo on the work of `kernels steps` and `kernels precision`. Run by benches/peers.py with the Python that has MuJoCo."""

import json
import statistics
import sys
import time

import mujoco
import numpy as np

STEP = 1e-3
# Motions, steps before the timed ones, timed steps.
MOTIONS, STEPS, TIMED = 25, 100, 100


def header(step, integrator, gravity=9.81):
    options = f'timestep="{step}" integrator="{integrator}" gravity="0 0 {-gravity}"'
    return f'<mujoco><compiler angle="radian"/><option {options}/><worldbody>'


def chain(n, step=STEP, integrator="Euler"):
    """n thin rods of 1 m and 1 kg, hinges about y, horizontal at q = 0."""
    links = ""
    for i in range(n):
        links += (
            f'<body pos="{1 if i else 0} 0 0"><joint type="hinge" axis="0 1 0"/>'
            f'<inertial pos="0.5 0 0" mass="1" diaginertia="1e-12 {1 / 12!r} {1 / 12!r}"/>'
        )
    return header(step, integrator) + links + "</body>" * n + "</worldbody></mujoco>"


def hexapod(integrator="Euler", standing=False, step=STEP, gravity=9.81):
    """A floating box of 6.4 kg with six rods of 0.17 m and 0.1 kg; to stand, the rods end in small spheres."""
    x, y, z = (0.5**2, 0.2**2, 0.13**2)
    moments = [6.4 / 12 * m for m in (y + z, x + z, x + y)]
    rod = 0.1 * 0.17**2 / 12
    legs = ""
    for x in (0.2, 0.0, -0.2):
        for y in (0.13, -0.13):
            foot = '<geom type="sphere" size="0.01" pos="0 0 -0.16" mass="0" friction="0.8" contype="1" conaffinity="0"/>'
            legs += (
                f'<body pos="{x} {y} 0"><joint type="hinge" axis="0 1 0"/>'
                f'<inertial pos="0 0 -0.085" mass="0.1" diaginertia="{rod!r} {rod!r} 1e-14"/>{foot if standing else ""}</body>'
            )
    floor = '<geom type="plane" size="5 5 1" friction="0.8" contype="0" conaffinity="1"/>' if standing else ""
    body = f'<body pos="0 0 0.17"><freejoint/><inertial pos="0 0 0" mass="6.4" diaginertia="{" ".join(map(repr, moments))}"/>'
    return header(step, integrator, gravity) + floor + body + legs + "</body></worldbody></mujoco>"


def time_steps(work, engine, xml, joints=None, contacts=0):
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    times = []
    # Long pieces would be interrupted on a busy machine; short ones would measure the call from Python.
    piece = 25 if model.nv < 64 else 5
    for _ in range(MOTIONS):
        mujoco.mj_resetData(model, data)
        if joints is not None:
            data.qpos[7:] = joints
        mujoco.mj_step(model, data, nstep=STEPS)
        for _ in range(TIMED // piece):
            start = time.perf_counter()
            mujoco.mj_step(model, data, nstep=piece)
            times.append((time.perf_counter() - start) / piece * 1e6)
    if data.ncon != contacts:
        sys.exit(f"{work}: {data.ncon} contacts, not {contacts}")
    print(json.dumps({"id": work, "engine": engine, "median_us": statistics.median(times)}))


def time_derivatives(work, engine, xml):
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    data.qpos[:] = np.linspace(0.1, 0.8, model.nq)
    data.qvel[:] = 0.1
    mujoco.mj_forward(model, data)
    transition = np.zeros((2 * model.nv, 2 * model.nv))
    times = []
    for _ in range(10 * MOTIONS):
        start = time.perf_counter()
        mujoco.mjd_transitionFD(model, data, 1e-6, False, transition, None, None, None)
        times.append((time.perf_counter() - start) * 1e6)
    print(json.dumps({"id": work, "engine": engine, "median_us": statistics.median(times)}))


def steps():
    for engine, integrator in (("MuJoCo Euler", "Euler"), ("MuJoCo RK4", "RK4")):
        for n in (1, 4, 8, 16, 32, 64, 128):
            time_steps(f"step/chain/{n}", engine, chain(n, integrator=integrator))
        joints = 0.1 * np.arange(6)
        time_steps("step/hexapod/free", engine, hexapod(integrator), joints)
        time_steps("step/hexapod/standing", engine, hexapod(integrator, standing=True), contacts=6)
    time_derivatives("derivatives/chain/8", "MuJoCo Euler", chain(8))


def start(motion, offset, step):
    """Model, initial state and unit of energy (none: the energy itself), as `kernels precision` has them."""
    if motion == "chain":
        model = mujoco.MjModel.from_xml_string(chain(4, step, "RK4"))
        data = mujoco.MjData(model)
        data.qpos[0] += offset
        return model, data, 9.81
    model = mujoco.MjModel.from_xml_string(hexapod("RK4", step=step, gravity=0.0))
    data = mujoco.MjData(model)
    data.qpos[:3] = 0.0
    data.qpos[7:] = 0.1 * np.arange(6)
    data.qpos[7] += offset
    # A free joint turns in its own frame and moves in that of the world: the same at the start.
    data.qvel[:] = [0, 0, 0, 1, 2, 3, 6, -8, 10, -7, 9, -5]
    return model, data, None


def configuration(model, data):
    """Quaternions have their scalar part last."""
    q = data.qpos.tolist()
    return q if model.nq == model.nv else [*q[:3], *q[4:7], q[3], *q[7:]]


def precision(motion, offset, step):
    duration, sampling, early = 100.0, 0.02, 2.0
    model, data, unit = start(motion, offset, step)
    clock = time.process_time()
    mujoco.mj_step(model, data, nstep=round(duration / step))
    processor = time.process_time() - clock

    model, data, unit = start(motion, offset, step)
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    mujoco.mj_forward(model, data)
    first, errors, shown = data.energy.sum(), [], None
    for i in range(1, round(duration / sampling) + 1):
        mujoco.mj_step(model, data, nstep=round(sampling / step))
        mujoco.mj_forward(model, data)
        errors.append((data.energy.sum() - first) / (unit or first))
        if i == round(early / sampling):
            shown = configuration(model, data)
    late = statistics.mean(errors[len(errors) * 9 // 10 :])
    largest = max(map(abs, errors))
    print(json.dumps({"processor_s": processor, "largest": largest, "late_mean": late, "configuration": shown}))


if __name__ == "__main__":
    if sys.argv[1:] == ["steps"]:
        steps()
    elif sys.argv[1:2] == ["precision"] and len(sys.argv) == 5 and sys.argv[2] in ("chain", "hexapod"):
        precision(sys.argv[2], float(sys.argv[3]), float(sys.argv[4]))
    else:
        sys.exit("mujoco_steps.py steps | precision chain|hexapod OFFSET STEP")
