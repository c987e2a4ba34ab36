"""Carom: variational multibody simulation of legged robots that says when an impact was ambiguous.

    >>> import carom
    >>> simulation = carom.Simulation("robots/quadruped/stand.toml")
    >>> simulation.run(0.5)
    >>> simulation.q, simulation.contacts.forces, simulation.events

SI units everywhere. q is the configuration, v the velocity, p = M v the momentum; a floating base has seven entries of q
(position, quaternion x y z w) and six of v (twist in its own axes, linear part first).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Union

from numpy.typing import ArrayLike

from . import errors
from ._baseline import Baseline, Verdict
from ._carom import Contacts, Event, Model, Observation, Simulation, State, __version__
from ._design import Design, design
from ._impact import Comparison, Impulse, ImpactResult, NotApplied, Outcome, compare, impact
from ._orbit import (
    Basin,
    Bifurcation,
    Branch,
    Change,
    FoundOrbit,
    FoundOrbits,
    Orbit,
    find_orbits,
    orbit,
    orbit_basin,
    scan_orbit,
)
from ._rollout import Rollout, rollout
from ._run import Replay, Run, simulate
from ._table import Table
from .errors import CaromError

Controller = Callable[[Observation], Union[ArrayLike, None]]
"""A function of what is observed at the beginning of a step, that returns forces (nv,) or efforts of joints (nu,)."""

__all__ = [
    "Baseline",
    "Basin",
    "Bifurcation",
    "Branch",
    "CaromError",
    "Change",
    "Comparison",
    "Contacts",
    "Controller",
    "Design",
    "Event",
    "FoundOrbit",
    "FoundOrbits",
    "ImpactResult",
    "Impulse",
    "Model",
    "NotApplied",
    "Observation",
    "Orbit",
    "Outcome",
    "Replay",
    "Rollout",
    "Run",
    "Simulation",
    "State",
    "Table",
    "Verdict",
    "__version__",
    "compare",
    "design",
    "errors",
    "find_orbits",
    "impact",
    "orbit",
    "orbit_basin",
    "rollout",
    "scan_orbit",
    "simulate",
]
