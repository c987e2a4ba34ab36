"""Whole runs of scenarios, and their results."""

from __future__ import annotations

import html
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from . import _carom
from ._table import Table, names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from . import Controller

Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]


class Replay:
    """A page that shows a run; in a notebook it shows itself."""

    def __init__(self, page: str) -> None:
        self.html = page
        """The page: one file that asks no network for anything."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        # In a frame of its own: its styles and keys stay there.
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" '
            'style="width: 100%; height: 640px; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<carom.Replay: {len(self.html)} characters>"


class Run:
    """The results of a run: a folder that `simulate` or `carom simulate` wrote."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = os.fspath(folder)
        self._tables = _carom.Tables(folder)
        self.series = Table({name: self._tables.column(name) for name in self._tables.names})
        """Columns of `series.csv` by name, `time_s` first: views of read-only memory."""
        self.events = Table(self._tables.events())
        """Impacts, holds and releases in their order."""
        self.summary: dict[str, Any] = json.loads(self._tables.summary)
        """The content of `summary.json`."""
        self.scenario: dict[str, Any] = json.loads(self._tables.scenario)
        """The scenario with every default."""
        self._kept: tempfile.TemporaryDirectory[str] | None = None

    def replay(self) -> Replay:
        """The run to look at, in a notebook or a browser."""
        return Replay(self._tables.replay())

    def plot(self, columns: Sequence[str] | None = None) -> Figure:
        """Draws columns over time by matplotlib, one below the other: those that are named, or configurations, normal
        forces and energies. Impacts are lines, dashed where their outcome was ambiguous."""
        from matplotlib.figure import Figure

        if columns is None:
            forces = [name for name in names("force_", list(self.series)) if name.endswith("_n_N")]
            groups = [names("q_", list(self.series)), forces, ["kinetic_J", "potential_J"]]
            groups = [[one for one in group if one in self.series] for group in groups]
        else:
            groups = [[column] for column in columns]
        groups = [group for group in groups if group]
        figure = Figure(figsize=(8.0, 2.2 * max(1, len(groups))), layout="constrained")
        axes = figure.subplots(max(1, len(groups)), 1, sharex=True, squeeze=False)[:, 0]
        impacts = [
            (time, unique)
            for time, kind, unique in zip(
                self.events["time"], self.events["kind"], self.events["unique"]
            )
            if kind == "impact"
        ]
        for axis, group in zip(axes, groups):
            for column in group:
                axis.plot(self.series["time_s"], self.series[column], label=column, linewidth=1.0)
            for time, unique in impacts[:200]:
                style = "--" if unique == "no" else "-"
                axis.axvline(time, color="0.8", linewidth=0.6, linestyle=style, zorder=0)
            if len(group) <= 8:
                axis.legend(fontsize="x-small", loc="upper right")
        axes[-1].set_xlabel("time [s]")
        return figure

    def __repr__(self) -> str:
        return f"<carom.Run {self.summary.get('status')}: {self.series.rows} rows, {self.events.rows} events>"

    def _repr_html_(self) -> str:
        return self.replay()._repr_html_()


def simulate(
    scenario: Scenario,
    settings: Mapping[str, object] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    controller: Controller | None = None,
    progress: Callable[[float], object] | None = None,
) -> Run:
    """Runs a scenario to its end, as `carom simulate`, and returns its results.

    The folder of results is `out`, or one that goes with the object. A run that stops early is a result too: its summary
    has the status `stopped` and the reason. `controller` takes the place of the scenario's; `progress` is told the time
    [s] now and then. Ctrl-C ends the run after the present step; what it did is in `out`.
    """
    kept = None
    if out is None:
        kept = tempfile.TemporaryDirectory(prefix="carom-")
        folder: str | os.PathLike[str] = Path(kept.name) / "run"
    else:
        folder = out
    _carom.simulate(scenario, folder, settings, controller, progress, out is not None)
    run = Run(folder)
    run._kept = kept
    return run
