"""MuJoCo on the work of `kernels steps` and `kernels energy`. Run by benches/peers.py with the Python that has MuJoCo."""

import json
import statistics
import sys
import time

import mujoco
import numpy as np

STEP = 1e-3
# Motions, steps before the timed ones, timed steps.
MOTIONS, STEPS, TIMED = 25, 100, 100


def header(step, integrator):
    return f'<mujoco><compiler angle="radian"/><option timestep="{step}" integrator="{integrator}" gravity="0 0 -9.81"/><worldbody>'


def chain(n, step=STEP, integrator="Euler"):
    """n thin rods of 1 m and 1 kg, hinges about y, horizontal at q = 0."""
    links = ""
    for i in range(n):
        links += (
            f'<body pos="{1 if i else 0} 0 0"><joint type="hinge" axis="0 1 0"/>'
            f'<inertial pos="0.5 0 0" mass="1" diaginertia="1e-12 {1 / 12!r} {1 / 12!r}"/>'
        )
    return header(step, integrator) + links + "</body>" * n + "</worldbody></mujoco>"


def hexapod(integrator="Euler", standing=False):
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
                f'<inertial pos="0 0 -0.085" mass="0.1" diaginertia="{rod!r} {rod!r} 1e-12"/>{foot if standing else ""}</body>'
            )
    floor = '<geom type="plane" size="5 5 1" friction="0.8" contype="0" conaffinity="1"/>' if standing else ""
    body = f'<body pos="0 0 0.17"><freejoint/><inertial pos="0 0 0" mass="6.4" diaginertia="{" ".join(map(repr, moments))}"/>'
    return header(STEP, integrator) + floor + body + legs + "</body></worldbody></mujoco>"


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


def energy(step):
    duration, sampling = 100.0, 0.02
    model = mujoco.MjModel.from_xml_string(chain(4, step, "RK4"))
    data = mujoco.MjData(model)
    start = time.process_time()
    mujoco.mj_step(model, data, nstep=round(duration / step))
    processor = time.process_time() - start

    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    first, errors, early = data.energy.sum(), [], None
    for i in range(1, round(duration / sampling) + 1):
        mujoco.mj_step(model, data, nstep=round(sampling / step))
        mujoco.mj_forward(model, data)
        errors.append((data.energy.sum() - first) / 9.81)
        if i == round(2.0 / sampling):
            early = data.qpos.tolist()
    late = statistics.mean(errors[len(errors) * 9 // 10 :])
    largest = max(map(abs, errors))
    print(json.dumps({"step_s": step, "processor_s": processor, "largest": largest, "late_mean": late, "q_2s": early}))


if __name__ == "__main__":
    if sys.argv[1:] == ["steps"]:
        steps()
    elif sys.argv[1:2] == ["energy"] and len(sys.argv) == 3:
        energy(float(sys.argv[2]))
    else:
        sys.exit("mujoco_steps.py steps | energy STEP")
