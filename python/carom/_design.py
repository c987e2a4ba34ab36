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
    together have one outcome, and proves it on the simulated fall. Ctrl-C ends the search.
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
