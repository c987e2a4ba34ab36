"""Designs: robots whose impacts have one outcome."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import _carom

@dataclass(frozen=True)
class Design:
    """A robot and a stance, or a periodic orbit, whose simultaneous impacts have one outcome."""

    status: str
    variables: dict[str, float]
    """Values of what was free, parameters of the robot and coordinates of the stance, by name."""
    urdf: str = field(repr=False)
    """The tuned robot."""
    details: dict[str, Any] = field(repr=False)
    """All that `design.json` holds."""
    scenario: str | None = field(default=None, repr=False)
    """Of a design on a periodic orbit: the tuned robot on its orbit as a scenario (TOML), which names the robot's file
    `robot.urdf`; write `urdf` beside it under that name."""


def design(
    file: str | os.PathLike[str], settings: Mapping[str, object] | None = None
) -> Design:
    """Solves a design file (TOML): changes a robot and its stance as little as possible until contacts that strike
    together have one outcome, and proves it on the simulated fall. With a table `[orbit]` in the file the stance is a
    periodic orbit, which changes with the robot. Ctrl-C ends the search.

    Raises `errors.DesignError` where there is nothing to begin with: a file that is wrong, no orbit at the start. That what
    is wanted is not reached is an answer, by its `status`.
    """
    report, urdf, scenario = _carom.design(file, settings)
    found = json.loads(report)
    return Design(
        status=str(found["status"]),
        variables={
            name: one["after"]
            for group in ("parameters", "coordinates")
            for name, one in found.get(group, {}).items()
        },
        urdf=urdf,
        details=found,
        scenario=scenario,
    )
