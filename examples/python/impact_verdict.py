"""One impact: was its outcome unique? Two balls that are struck at once say no, unless they are at a right angle."""

import carom
import numpy as np


def break_at(angle: float) -> carom.ImpactResult:
    """A ball strikes two that it touches, at this angle between them [rad]."""
    half = 0.5 * angle
    directions = [np.array([np.cos(half), sign * np.sin(half)]) for sign in (-1.0, 1.0)]
    contacts = []
    for i, direction in enumerate(directions):
        normal = np.zeros(6)
        normal[:2] = -direction
        normal[2 + 2 * i : 4 + 2 * i] = direction
        contacts.append({"name": ("left", "right")[i], "normal": normal})
    problem = {"mass_matrix": np.eye(6), "velocity": [1, 0, 0, 0, 0, 0], "contacts": contacts}
    return carom.impact(problem, law="propagative", all=True)


def main() -> None:
    for degrees in (60, 75, 90, 110):
        found = break_at(np.radians(degrees))
        word = {True: "unique", False: "ambiguous", None: "not decided"}[found.unique]
        print(f"{degrees:3d} degrees: {len(found.outcomes)} outcomes, {word}, xi = {found.indeterminacy:.3f}")
        for outcome in found.outcomes:
            print(f"    {' '.join(outcome.sequence or []):12} {np.round(outcome.velocity, 3)}")
    assert break_at(np.radians(60)).unique is False
    # Normals that are orthogonal in the kinetic metric: the order of reflections does not matter.
    right = break_at(np.radians(90))
    print("each ball takes", [round(one.normal, 3) for one in right.outcomes[0].impulses], "N s at 90 degrees")

    compared = carom.compare({
        "mass_matrix": np.eye(3),
        "velocity": [1.0, 0.0, 0.0],
        "contacts": [{"name": "AB", "normal": [-1, 1, 0]}, {"name": "BC", "normal": [0, -1, 1]}],
    })
    for law, answer in compared.applied.items():
        print(f"{law:16} {np.round(answer.outcomes[0].velocity, 3)}")


if __name__ == "__main__":
    main()
