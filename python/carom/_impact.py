"""One impact: numbers in, outcomes and a verdict out."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union, overload

import numpy as np
from numpy.typing import NDArray

from . import _carom
from .errors import ImpactError

Array = NDArray[np.float64]
Problem = Union[str, "os.PathLike[str]", Mapping[str, Any]]


@dataclass(frozen=True)
class Impulse:
    """What one contact takes."""

    contact: str
    normal: float
    """Along the normal [N s]."""
    tangential: tuple[float, ...]
    """Along its tangents [N s]."""


@dataclass(frozen=True)
class Outcome:
    """One outcome of an impact."""

    velocity: Array
    """After the impact, shape (n,)."""
    momentum: Array
    """After the impact, shape (n,)."""
    impulses: list[Impulse]
    """One a contact, in the order of the problem."""
    sequence: list[str] | None
    """Contacts in the order in which they acted, where the law has one."""
    energy_before: float
    """Kinetic energy [J]."""
    energy_after: float
    """Kinetic energy [J]."""
    details: dict[str, Any] = field(repr=False)
    """All that the law says of it, as `carom impact --json` writes it."""


@dataclass(frozen=True)
class ImpactResult:
    """What a law says about one problem."""

    name: str
    law: str
    outcomes: list[Outcome]
    """Distinct outcomes; all that the law can list where `all` was asked for."""
    unique: bool | None
    """Whether the outcome is unique for this momentum; None where the law cannot tell."""
    indeterminacy: float
    """xi: largest distance of two outcomes over the momentum before, in the kinetic metric."""
    details: dict[str, Any] = field(repr=False)
    """All that the law says, as `carom impact --json` writes it."""

    @property
    def certificate(self) -> dict[str, Any] | None:
        """A statement for every momentum, or None."""
        found = self.details.get("certificate")
        return dict(found) if found is not None else None


@dataclass(frozen=True)
class NotApplied:
    """A law that does not cover a problem."""

    law: str
    reason: str


@dataclass(frozen=True)
class Comparison:
    """Every law on one problem."""

    name: str
    applied: dict[str, ImpactResult]
    """Answers by law."""
    not_applied: dict[str, NotApplied]
    """Laws that do not cover the problem."""


def _outcome(found: dict[str, Any]) -> Outcome:
    impulses = [
        Impulse(one["contact"], one["normal"], tuple(one.get("tangential", ())))
        for one in found["impulses"]
    ]
    energy = found["kinetic_energy"]
    return Outcome(
        velocity=np.asarray(found["velocity"], dtype=np.float64),
        momentum=np.asarray(found["momentum"], dtype=np.float64),
        impulses=impulses,
        sequence=found.get("sequence"),
        energy_before=energy["before"],
        energy_after=energy["after"],
        details=found,
    )


def _result(found: dict[str, Any]) -> ImpactResult:
    return ImpactResult(
        name=found["name"],
        law=found["law"],
        outcomes=[_outcome(outcome) for outcome in found["outcomes"]],
        unique=found["unique"],
        indeterminacy=found["indeterminacy"],
        details=found,
    )


def _plain(value: object) -> object:
    """Arrays and numbers of NumPy, as JSON has them."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"a value of type {type(value).__name__} has no place in an impact problem")


def _text(problem: object) -> tuple[str | os.PathLike[str], str | None]:
    """A problem's file and its text, if it has no file."""
    if isinstance(problem, str) and problem.lstrip()[:1] in ("{", "["):
        return "problem", problem
    if isinstance(problem, (str, os.PathLike)):
        return problem, None
    try:
        text = json.dumps(problem, default=_plain)
    except (ValueError, RecursionError) as error:
        raise ImpactError(f"problem: {error}") from None
    return "problem", text


def _settings(given: Mapping[str, object]) -> list[tuple[str, str]]:
    """Settings of a law as it reads them."""

    def text(value: object) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, (list, tuple)):
            return ",".join(map(str, value))
        return str(value)

    return [(name, text(value)) for name, value in given.items()]


@overload
def impact(problem: Problem, law: str = ..., *, all: bool = ..., **settings: object) -> ImpactResult: ...
@overload
def impact(
    problem: Sequence[Mapping[str, Any]], law: str = ..., *, all: bool = ..., **settings: object
) -> list[ImpactResult | ImpactError]: ...
def impact(
    problem: Problem | Sequence[Mapping[str, Any]],
    law: str = "propagative",
    *,
    all: bool = False,
    **settings: object,
) -> ImpactResult | list[ImpactResult | ImpactError]:
    """Solves an impact problem by one law.

    `problem` is a file (JSON), its text, or a dictionary with `mass_matrix` (n, n), `velocity` or `momentum` (n,), and
    `contacts`: each with `normal` (n,), and as it likes `name`, `tangents` (1 or 2, n), `friction`, `restitution`. In SI
    units. A list of problems has a list of answers, in which one that cannot be solved is an `ImpactError`.

    `all` lists every outcome; a law that has nothing to list refuses it. Further arguments are settings of the law, as `order="index"`,
    `samples=4096`, `seed=1`; `carom impact --help` lists them.
    """
    file, text = _text(problem)
    found = json.loads(_carom.impact(file, text, law, all, _settings(settings)))
    if isinstance(found, list):
        return [
            ImpactError(f"{one['name']}: {one['error']}") if "error" in one else _result(one)
            for one in found
        ]
    return _result(found)


def compare(
    problem: Problem,
    *,
    settings: Mapping[str, object] | None = None,
    **settings_of_laws: object,
) -> Comparison:
    """Solves one problem by every law that covers it.

    `problem` is as `impact` takes it, or a scenario (a file `.toml`, or a dictionary with `robot`), of which the first
    impact is compared, with `settings` as `--set`. Further arguments are given to each law that has such a setting.
    """
    is_file = isinstance(problem, (str, os.PathLike)) and os.fspath(problem).endswith(".toml")
    scenario = is_file or (isinstance(problem, Mapping) and "robot" in problem)
    laws = _settings(settings_of_laws)
    if scenario:
        text = _carom.compare(problem, None, True, settings, laws)
    else:
        file, written = _text(problem)
        text = _carom.compare(file, written, False, None, laws)
    found = json.loads(text)
    applied = {one["law"]: _result(one) for one in found["laws"] if one["applicable"]}
    others = {
        one["law"]: NotApplied(one["law"], one["reason"])
        for one in found["laws"]
        if not one["applicable"]
    }
    return Comparison(found["name"], applied, others)
