#!/usr/bin/env python3
"""Compares `carom inspect --json` with Pinocchio on URDF robots in random states.

usage: compare_with_pinocchio.py [--carom PROGRAM] [--states N] [--golden FILE] ROBOT.urdf|FOLDER ...

Needs the Python packages `pin` and `numpy`. A folder stands for every .urdf file under it; the package
`example-robot-data` brings some seventy. For each robot and each kind of base (fixed; planar, as the composite
of x, z and pitch; floating) it draws states and compares the mass matrix, the gradient and the value of the
potential energy, the kinetic energy, and the centre of mass. Each difference is relative to the natural size of
its entry: sqrt(M_ii M_jj) for the mass matrix, the largest entry for the rest. Exit 1 if one exceeds 1e-9, or if a
robot that Pinocchio loads is refused for another reason than the ones printed as "refused".

With --golden FILE Pinocchio's answers are written to FILE, with the states and the robots' paths as given; among them
the bias forces, which `carom inspect` does not print.
"""
import argparse
import glob
import json
import os
import random
import subprocess
import sys
import tempfile

import numpy as np
import pinocchio as pin

TOLERANCE = 1e-9


def root_joint(base):
    if base == "floating":
        return pin.JointModelFreeFlyer()
    planar = pin.JointModelComposite()
    planar.addJoint(pin.JointModelPX())
    planar.addJoint(pin.JointModelPZ())
    planar.addJoint(pin.JointModelRY())
    return planar


def pinocchio_model(path, base):
    if base == "fixed":
        return pin.buildModelFromUrdf(path)
    return pin.buildModelFromUrdf(path, root_joint(base))


def draw(generator, base, names):
    state = {
        "joints": {name: generator.uniform(-1.5, 1.5) for name in names},
        "velocities": {name: generator.uniform(-2, 2) for name in names},
    }
    if base == "floating":
        quaternion = np.array([generator.gauss(0, 1) for _ in range(4)])
        state["base"] = {
            "position": [generator.uniform(-2, 2) for _ in range(3)],
            "quaternion": list(quaternion / np.linalg.norm(quaternion)),
            "twist": [generator.uniform(-2, 2) for _ in range(6)],
        }
    elif base == "planar":
        state["base"] = {key: generator.uniform(-2, 2) for key in ("x", "z", "pitch", "vx", "vz", "wpitch")}
    return state


def expected(model, base, state):
    """Pinocchio's answer, its coordinates by name."""
    data = model.createData()
    q, v = pin.neutral(model), np.zeros(model.nv)
    names = [None] * model.nv
    first = 1
    if base == "floating":
        b = state["base"]
        q[:3], q[3:7], v[:6] = b["position"], b["quaternion"], b["twist"]
        names[:6] = ["base." + c for c in ("vx", "vy", "vz", "wx", "wy", "wz")]
        first = 2
    elif base == "planar":
        b = state["base"]
        q[:3] = [b["x"], b["z"], b["pitch"]]
        v[:3] = [b["vx"], b["vz"], b["wpitch"]]
        names[:3] = ["base.vx", "base.vz", "base.wpitch"]
        first = 2
    for i in range(first, model.njoints):
        joint, name = model.joints[i], model.names[i]
        angle = state["joints"][name]
        q[joint.idx_q : joint.idx_q + joint.nq] = [angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
        v[joint.idx_v] = state["velocities"][name]
        names[joint.idx_v] = name
    mass_matrix = pin.crba(model, data, q)
    mass_matrix = np.triu(mass_matrix) + np.triu(mass_matrix, 1).T
    return {
        "coordinates": names,
        "mass": pin.computeTotalMass(model),
        "mass_matrix": mass_matrix.tolist(),
        "gravity": pin.computeGeneralizedGravity(model, data, q).tolist(),
        "bias": pin.nonLinearEffects(model, data, q, v).tolist(),
        "kinetic_energy": pin.computeKineticEnergy(model, data, q, v),
        "potential_energy": pin.computePotentialEnergy(model, data, q),
        "center_of_mass": pin.centerOfMass(model, data, q).tolist(),
    }


def carom(program, path, base, state):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(state, file)
        file.flush()
        command = [program, "inspect", path, "--base", base, "--state", file.name, "--json"]
        run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        return None, run.stderr.strip()
    return json.loads(run.stdout), ""


def difference(ours, theirs):
    order = [ours["coordinates"].index(name) for name in theirs["coordinates"]]
    assert sorted(order) == list(range(ours["dof"])), "different coordinates"
    m, n = np.array(theirs["mass_matrix"]), np.array(ours["mass_matrix"])[np.ix_(order, order)]
    size = np.sqrt(np.abs(np.outer(np.diag(m), np.diag(m)))) + 1e-300
    worst = {"mass_matrix": np.max(np.abs(m - n) / size)}
    # A robot that turns about vertical axes only has no gravity to speak of: compare with its weight times 1 mm.
    gravity = np.array(ours["gravity"])[order]
    size = max(np.max(np.abs(theirs["gravity"])), 9.81e-3 * theirs["mass"])
    worst["gravity"] = np.max(np.abs(gravity - theirs["gravity"])) / size
    for key, a, b in [
        (key, ours[key], theirs[key])
        for key in ("mass", "kinetic_energy", "potential_energy", "center_of_mass")
    ]:
        a, b = np.atleast_1d(np.array(a, dtype=float)), np.atleast_1d(np.array(b, dtype=float))
        worst[key] = np.max(np.abs(a - b)) / max(np.max(np.abs(b)), 1e-9)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--carom", default="target/release/carom")
    parser.add_argument("--states", type=int, default=5)
    parser.add_argument("--golden")
    parser.add_argument("robots", nargs="+")
    options = parser.parse_args()
    paths = []
    for robot in options.robots:
        found = sorted(glob.glob(os.path.join(robot, "**", "*.urdf"), recursive=True))
        paths += found if os.path.isdir(robot) else [robot]
    failed, compared, overall, golden = False, 0, 0.0, []
    for path in paths:
        label = os.path.join(*path.split(os.sep)[-3:])
        worst, refused = {}, ""
        for base in ("fixed", "planar", "floating"):
            try:
                model = pinocchio_model(path, base)
            except Exception as error:  # pylint: disable=broad-except
                refused = f"Pinocchio: {str(error).splitlines()[0]}"
                break
            if model.nv == 0:
                continue
            names = [model.names[i] for i in range(1 if base == "fixed" else 2, model.njoints)]
            generator = random.Random(f"{os.path.basename(path)} {base}")
            for _ in range(options.states):
                state = draw(generator, base, names)
                theirs = expected(model, base, state)
                ours, refused = carom(options.carom, path, base, state)
                if ours is None:
                    break
                if options.golden:
                    golden.append({"robot": path, "base": base, "state": state, "expected": theirs})
                for key, value in difference(ours, theirs).items():
                    worst[key] = max(worst.get(key, 0.0), value)
                compared += 1
            if refused:
                break
        if worst:
            bad = {key: value for key, value in worst.items() if not value <= TOLERANCE}
            failed |= bool(bad)
            overall = max(overall, *worst.values())
            print(f"{label}: {'DIFFERS ' + str(bad) if bad else 'agrees to %.1e' % max(worst.values())}")
        if refused:
            print(f"{label}: refused: {refused}")
    print(f"{compared} states compared, largest difference {overall:.1e}")
    if options.golden:
        with open(options.golden, "w", encoding="utf-8") as file:
            json.dump(golden, file, separators=(",", ":"))
            file.write("\n")
    sys.exit(1 if failed or not compared else 0)


if __name__ == "__main__":
    main()
