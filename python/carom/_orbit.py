"""Periodic orbits: one, those from many starts, a branch over a key, and where motions go."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _carom
from .errors import ArgumentError

Array = NDArray[np.float64]
Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]

FALLS = -1
"""In `Basin.ends`: the motion does not come back to the section."""
UNDECIDED = -2
"""In `Basin.ends`: the motion is still on its way after all periods."""


@dataclass(frozen=True)
class Orbit:
    """A periodic orbit, or where the search for one ended."""

    found: bool
    residual: float
    """How far a return is from where it began."""
    period: float
    """[s]."""
    q: dict[str, float]
    """Configuration on the section, by coordinate."""
    v: dict[str, float]
    """Velocity on the section, by coordinate."""
    multipliers: NDArray[np.complex128]
    """Floquet multipliers, the largest first; none where the return map has no derivative."""
    stable: bool | None
    """None where it is not decided."""
    differentiability: str | None
    """`differentiable`, `piecewise` or `discontinuous`; None where there is no orbit."""
    cost_of_transport: float | None
    details: dict[str, Any] = field(repr=False)
    """All that `carom orbit --json` writes."""


@dataclass(frozen=True)
class FoundOrbit:
    """An orbit that some starts led to."""

    orbit: Orbit
    first_start: int
    """Number of the first of them; 0 is the scenario's own state."""
    starts: int
    """How many did."""


@dataclass(frozen=True)
class FoundOrbits:
    """What many starts led to."""

    orbits: list[FoundOrbit]
    """Distinct orbits, in the order of the first starts that led to them."""
    starts: int
    not_converged: int
    """Starts from which Newton's method came to no orbit."""
    not_returned: int
    """Starts from which the motion did not come back to the section, or could not go on."""


@dataclass(frozen=True)
class Bifurcation:
    """Where the stability of a branch changes, or it turns."""

    kind: str
    """`period-doubling`, `fold`, `branch-point` or `neimark-sacker`."""
    parameter: float
    within: float
    """The parameter is known to this."""
    multiplier: complex
    """The multiplier there."""
    period: float
    """[s]."""
    sheet: int
    """How often the branch has turned before it."""
    arc_length: float
    q: dict[str, float]
    """Configuration on the section there, by coordinate."""
    v: dict[str, float]
    """Velocity on the section there, by coordinate."""


@dataclass(frozen=True)
class Change:
    """Where the kind of the orbits of a branch changes: whether the map has a derivative, what strikes in a period."""

    parameter: float
    within: float
    """The parameter is known to this; 0 where one value alone is different."""
    sheet: int
    arc_length: float
    before: str
    after: str


@dataclass(frozen=True)
class Branch:
    """An orbit over a key of the scenario, through folds: npoint orbits in the order of the branch."""

    key: str
    parameter: Array
    """Values of the key, shape (npoint,)."""
    sheet: NDArray[np.int64]
    """How often the branch has turned before each orbit, shape (npoint,)."""
    arc_length: Array
    """Length of the branch from its first orbit, the parameter in shares of the range, shape (npoint,)."""
    period: Array
    """[s], shape (npoint,)."""
    multipliers: NDArray[np.complex128]
    """Floquet multipliers, the largest first, NaN where there are fewer: shape (npoint, most of them)."""
    orbits: list[Orbit]
    bifurcations: list[Bifurcation]
    """Folds, and where multipliers pass the unit circle."""
    changes: list[Change]
    """Where the kind of the orbit changes."""
    ended: tuple[float, str] | None
    """The last value that was reached, and why it went no further; None where the branch left the range."""

    def q(self, name: str) -> Array:
        """A coordinate of the configurations on the section [m or rad], shape (npoint,)."""
        return _column([orbit.q for orbit in self.orbits], name)

    def v(self, name: str) -> Array:
        """A coordinate of the velocities on the section [m/s or rad/s], shape (npoint,)."""
        return _column([orbit.v for orbit in self.orbits], name)


@dataclass(frozen=True)
class Basin:
    """To which orbit motions go that begin on a grid of n by m points over two coordinates of the section."""

    axes: tuple[str, str]
    """Both coordinates."""
    values: tuple[Array, Array]
    """Their values, shapes (n,) and (m,)."""
    ends: NDArray[np.int64]
    """Place in `orbits`, or -1 for motions that fall and -2 for those that are undecided: shape (m, n)."""
    periods: NDArray[np.int64]
    """Whole periods until each was known, shape (m, n)."""
    orbits: list[Orbit]


def _orbit(found: dict[str, Any]) -> Orbit:
    pairs = [complex(re, im) for re, im in found["multipliers"]]
    return Orbit(
        found=found["status"] == "found",
        residual=found["residual"],
        period=found["period_s"],
        q=found["state"]["q"],
        v=found["state"]["v"],
        multipliers=np.asarray(pairs, dtype=np.complex128),
        stable=found["stable"],
        differentiability=found["differentiability"],
        cost_of_transport=found["cost_of_transport"],
        details=found,
    )


def _column(rows: Sequence[Mapping[str, float]], name: str) -> Array:
    if rows and name not in rows[0]:
        raise ArgumentError(f'there is no coordinate "{name}"; there are {", ".join(rows[0])}')
    return np.asarray([row[name] for row in rows], dtype=np.float64)


def _bifurcation(found: dict[str, Any]) -> Bifurcation:
    return Bifurcation(
        kind=found["kind"],
        parameter=found["parameter"],
        within=found["within"],
        multiplier=complex(*found["multiplier"]),
        period=found["period_s"],
        sheet=found["branch"],
        arc_length=found["arc_length"],
        q=found["state"]["q"],
        v=found["state"]["v"],
    )


def _change(found: dict[str, Any]) -> Change:
    return Change(
        parameter=found["parameter"],
        within=found["within"],
        sheet=found["branch"],
        arc_length=found["arc_length"],
        before=found["before"],
        after=found["after"],
    )


def orbit(scenario: Scenario, settings: Mapping[str, object] | None = None, *, settle: int = 0) -> Orbit:
    """Looks for the periodic orbit of a scenario's `[orbit]` by Newton's method on its return map.

    The scenario's initial state is the guess, or where it is after `settle` periods. Ctrl-C ends the search.
    """
    return _orbit(json.loads(_carom.orbit(scenario, settings, settle)))


def find_orbits(
    scenario: Scenario,
    starts: int,
    settings: Mapping[str, object] | None = None,
    *,
    seed: int = 0,
    settle: int = 0,
) -> FoundOrbits:
    """Looks for periodic orbits from `starts` starts, drawn around the scenario's state, on all cores.

    Start 0 is the state itself, or where it is after `settle` periods; how far the others are from it says `[orbit]
    spread`. The answer depends on `seed` and on nothing else. Ctrl-C ends the search.
    """
    found = json.loads(_carom.find_orbits(scenario, starts, settings, seed, settle))
    orbits = [FoundOrbit(_orbit(one["orbit"]), one["first_start"], one["starts"]) for one in found["orbits"]]
    return FoundOrbits(orbits, found["starts"], found["not_converged"], found["not_returned"])


def scan_orbit(
    scenario: Scenario,
    key: str,
    range: tuple[float, float],
    count: int,
    settings: Mapping[str, object] | None = None,
    *,
    settle: int = 0,
) -> Branch:
    """Follows the orbit of a scenario over a key from `range[0]` to `range[1]`, through folds.

    Orbits at `count` evenly spaced values are met exactly, once on every side of a fold; where a multiplier passes the unit
    circle, the branch turns or its orbits become others in kind is located. The search for the first begins after
    `settle` periods. Ctrl-C ends the scan.
    """
    found = json.loads(_carom.scan_orbit(scenario, key, (range[0], range[1]), count, settings, settle))
    points = found["points"]
    orbits = [_orbit(point["orbit"]) for point in points]
    most = max((len(orbit.multipliers) for orbit in orbits), default=0)
    multipliers = np.full((len(orbits), most), complex(np.nan, np.nan), dtype=np.complex128)
    for row, orbit in zip(multipliers, orbits):
        row[: len(orbit.multipliers)] = orbit.multipliers
    ended = found.get("ended")
    return Branch(
        key=found["key"],
        parameter=np.asarray([point["parameter"] for point in points], dtype=np.float64),
        sheet=np.asarray([point["branch"] for point in points], dtype=np.int64),
        arc_length=np.asarray([point["arc_length"] for point in points], dtype=np.float64),
        period=np.asarray([orbit.period for orbit in orbits], dtype=np.float64),
        multipliers=multipliers,
        orbits=orbits,
        bifurcations=[_bifurcation(one) for one in found["bifurcations"]],
        changes=[_change(one) for one in found["changes"]],
        ended=None if ended is None else (ended[0], ended[1]),
    )


def orbit_basin(
    scenario: Scenario,
    axes: Mapping[str, tuple[float, float, int]],
    settings: Mapping[str, object] | None = None,
    *,
    starts: int | None = None,
    seed: int = 0,
    settle: int = 0,
    periods: int = 200,
) -> Basin:
    """Maps to which orbit motions go that begin on a grid over two coordinates of the section, on all cores.

    `axes` has both coordinates, each with its first value, its last and how many there are, for example
    `{"q_leading": (0.19, 0.27, 9), "v_trailing": (-0.8, -0.3, 9)}`. The others are those of the first orbit. The orbits are the
    one that `orbit` finds, or with `starts` those of `find_orbits`; a motion that has reached none after `periods`
    periods is undecided. Ctrl-C ends the map.
    """
    if len(axes) != 2:
        raise ArgumentError(f"axes: there are {len(axes)} coordinates, a map has two")
    given = [(name, (float(first), float(last)), count) for name, (first, last, count) in axes.items()]
    found = json.loads(_carom.orbit_basin(scenario, given, periods, settings, starts, seed, settle))
    basin = found["basin"]
    first, second = (np.asarray(values, dtype=np.float64) for values in basin["values"])
    words = {"falls": FALLS, "undecided": UNDECIDED}
    ends = [words[end] if isinstance(end, str) else end["orbit"] for end in basin["ends"]]
    shape = (len(second), len(first))
    return Basin(
        axes=(basin["axes"][0], basin["axes"][1]),
        values=(first, second),
        ends=np.asarray(ends, dtype=np.int64).reshape(shape),
        periods=np.asarray(basin["periods"], dtype=np.int64).reshape(shape),
        orbits=[_orbit(one) for one in found["orbits"]],
    )
