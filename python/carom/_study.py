"""Periodic orbits and designs."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _carom

Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]


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


def orbit(
    scenario: Scenario, settings: Mapping[str, object] | None = None, *, settle: int = 0
) -> Orbit:
    """Looks for the periodic orbit of a scenario's `[orbit]` by Newton's method on its return map.

    The scenario's initial state is the guess, or where it is after `settle` periods. Ctrl-C abandons the search.
    """
    found = json.loads(_carom.orbit(scenario, settings, settle))
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


@dataclass(frozen=True)
class Design:
    """A robot and a stance whose simultaneous impacts have one outcome."""

    status: str
    variables: dict[str, float]
    """Values of what was free, parameters of the robot and coordinates of the stance, by name."""
    urdf: str = field(repr=False)
    """The tuned robot."""
    details: dict[str, Any] = field(repr=False)
    """All that `design.json` holds."""


def design(
    file: str | os.PathLike[str], settings: Mapping[str, object] | None = None
) -> Design:
    """Solves a design file (TOML): changes a robot and its stance as little as possible until contacts that strike
    together have one outcome, and proves it on the simulated fall. Ctrl-C abandons the search.
    """
    report, urdf = _carom.design(file, settings)
    found = json.loads(report)
    return Design(
        status=str(found["status"]),
        variables={
            name: one["after"]
            for group in ("parameters", "coordinates")
            for name, one in found[group].items()
        },
        urdf=urdf,
        details=found,
    )
