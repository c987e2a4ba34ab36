"""Many simulations at once."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _carom
from ._carom import Model
from ._table import Table

Array = NDArray[np.float64]
Source = Union[str, "os.PathLike[str]", Mapping[str, Any], Model]


@dataclass(frozen=True)
class Rollout:
    """What a batch came to. The numbers of a row that stopped early are NaN from where it stopped."""

    state: Array
    """Configuration, then velocity, at the end of every step: shape (nbatch, nstep, nq + nv)."""
    steps: NDArray[np.int64]
    """Steps that each row did, shape (nbatch,)."""
    stopped: list[str | None]
    """Why a row stopped early, or None."""
    events: Table
    """Events of all rows, row by row in the order of time: `batch`, `time` [s], `kind`, `contacts`, `sequence`,
    `unique`, `outcomes`, `indeterminacy` (xi), `normal_impulses` [N s]."""
    forces: Array | None
    """Forces of held contacts, mean over each step: normal, then tangents [N], shape (nbatch, nstep, ncontact, 3)."""
    nq: int = field(repr=False)

    @property
    def q(self) -> Array:
        """Configurations, a view of `state`: shape (nbatch, nstep, nq)."""
        return self.state[:, :, : self.nq]

    @property
    def v(self) -> Array:
        """Velocities, a view of `state`: shape (nbatch, nstep, nv)."""
        return self.state[:, :, self.nq :]


def rollout(
    source: Source,
    state0: ArrayLike,
    control: ArrayLike | None = None,
    *,
    steps: int | None = None,
    settings: Mapping[str, object] | None = None,
    contacts: Mapping[str, object] | None = None,
    law: str | Mapping[str, object] | None = None,
    time_step: float | None = None,
    threads: int | None = None,
    seeds: Sequence[int] | None = None,
    forces: bool = False,
) -> Rollout:
    """Simulates every row of `state0` under its row of `control`, on all cores or on `threads` of them.

    `source` is a scenario with `settings`, as `Simulation` takes it, or a `Model` with `contacts`, `law` and `time_step`.
    `state0` has shape (nbatch, nq + nv): configuration, then velocity. `control` has shape (nbatch, nstep, nv), generalized
    forces [N or N m], or (nbatch, nstep, nu), efforts of the joints `Model.joint_names`; they are added to those of the
    scenario's controller. Without it, `steps` says how many steps there are.

    Each row gives the bits that a `Simulation` gives by itself, whatever the number of threads and its place in the batch.
    A law that draws at random draws from the scenario's seed in every row, or from its own of `seeds`. The interpreter is
    free meanwhile; Ctrl-C ends the batch.
    """
    found = _carom.rollout(
        source, state0, control, steps, settings, contacts, law, time_step, threads, seeds, forces
    )
    return Rollout(
        state=found["state"],
        steps=found["steps"],
        stopped=found["stopped"],
        events=Table(found["events"]),
        forces=found.get("forces"),
        nq=found["nq"],
    )
