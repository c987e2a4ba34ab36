"""Baselines: what a scenario did, to be compared with what it does now."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _carom
from .errors import BaselineDiffers

if TYPE_CHECKING:
    from . import Controller


@dataclass(frozen=True)
class Verdict:
    """What a comparison with a baseline says. True where nothing differs by more than its tolerance."""

    same: bool
    text: str
    """In words, the largest difference first."""
    details: dict[str, Any] = field(repr=False)

    def __bool__(self) -> bool:
        return self.same

    def __str__(self) -> str:
        return self.text


class Baseline:
    """A baseline file (TOML), as `carom baseline` writes and verifies it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)

    @classmethod
    def record(
        cls,
        scenario: str | os.PathLike[str],
        out: str | os.PathLike[str],
        settings: Mapping[str, object] | None = None,
        *,
        controller: Controller | None = None,
        threads: int | None = None,
    ) -> Baseline:
        """Runs a scenario file and writes what it does to `out`."""
        _carom.record_baseline(scenario, out, settings, controller, threads)
        return cls(out)

    def verify(
        self,
        settings: Mapping[str, object] | None = None,
        *,
        controller: Controller | None = None,
        threads: int | None = None,
        frozen: bool = False,
        exact: bool = False,
        skip_robust: bool = False,
        update: bool = False,
    ) -> Verdict:
        """Runs the scenario again and compares: as its file says now, or the copy in the baseline where it is `frozen`.

        `update` accepts what differs and writes it.
        """
        same, text, found = _carom.verify_baseline(
            self.path, settings, controller, threads, frozen, exact, skip_robust, update
        )
        return Verdict(same, text, json.loads(found))

    def check(
        self,
        settings: Mapping[str, object] | None = None,
        *,
        controller: Controller | None = None,
        threads: int | None = None,
        frozen: bool = False,
        exact: bool = False,
        skip_robust: bool = False,
    ) -> Verdict:
        """As `verify`, and raises `BaselineDiffers`, an `AssertionError`, where something differs.

        With the environment variable CAROM_UPDATE_BASELINES=1 what differs is accepted and written instead, for review.
        """
        update = os.environ.get("CAROM_UPDATE_BASELINES") == "1"
        verdict = self.verify(
            settings,
            controller=controller,
            threads=threads,
            frozen=frozen,
            exact=exact,
            skip_robust=skip_robust,
            update=update,
        )
        if verdict.same or update:
            return verdict
        advice = "If this is what you want, run once with CAROM_UPDATE_BASELINES=1 and review the file."
        raise BaselineDiffers(f"{verdict.text}\n{advice}")

    def __repr__(self) -> str:
        return f"Baseline({self.path!r})"
