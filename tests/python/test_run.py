"""Whole runs and their tables."""

import signal
import threading

import carom
import numpy as np
import pytest
from carom.errors import RunError


@pytest.fixture(scope="module")
def run(robots):
    return carom.simulate(robots / "trex" / "drop.toml", {"duration": 0.3})


def test_a_run_is_that_of_the_simulation(run, robots):
    assert run.summary["status"] == "completed"
    simulation = carom.Simulation(robots / "trex" / "drop.toml")
    simulation.run(0.3)
    last = [run.series[f"q_{name}"][-1] for name in simulation.model.configuration_names]
    # The table holds the shortest texts that read back to the same bits.
    assert np.array(last).tobytes() == simulation.q.tobytes()
    assert list(run.events["time"]) == [event.time for event in simulation.events]
    words = {True: "yes", False: "no"}
    impacts = [event for event in simulation.events if event.kind == "impact"]
    told = [unique for kind, unique in zip(run.events["kind"], run.events["unique"]) if kind == "impact"]
    assert told == [words.get(event.unique, "undecided") for event in impacts]


def test_tables_of_other_libraries(run):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame, other = run.series.to_pandas(), run.series.to_polars()
    assert isinstance(frame, pandas.DataFrame) and isinstance(other, polars.DataFrame)
    assert list(frame.columns) == other.columns == list(run.series)
    assert np.array_equal(frame["time_s"], run.series["time_s"])
    assert run.events.to_polars().height == run.events.rows == len(run.events.to_pandas())


def test_arrow_shares_the_numbers(run):
    pytest.importorskip("pyarrow")
    column = run.series["time_s"]
    shared = run.series.to_arrow().column("time_s").chunk(0)
    address = shared.buffers()[1].address + 8 * shared.offset
    assert address == column.__array_interface__["data"][0]
    with pytest.raises(ValueError):
        column[0] = 1.0
    with pytest.raises(KeyError, match="did you mean"):
        run.series["time_"]


def test_replays_show_themselves(run, tmp_path):
    page = run.replay()
    assert page.html.startswith("<!doctype html>") and "TREX" in page.html
    assert page._repr_html_().startswith("<iframe srcdoc=")
    page.save(tmp_path / "replay.html")
    assert (tmp_path / "replay.html").read_text() == page.html


def test_plots(run):
    pytest.importorskip("matplotlib")
    assert len(run.plot().axes) == 3
    assert len(run.plot(["kinetic_J"]).axes) == 1


def test_folders_are_those_of_the_program(robots, tmp_path):
    carom.simulate(robots / "ball" / "bounce.toml", {"duration": 0.2}, out=tmp_path / "out")
    written = {file.name for file in (tmp_path / "out").iterdir()}
    assert {"series.csv", "events.csv", "summary.json", "scenario.toml", "replay.html"} <= written
    assert carom.Run(tmp_path / "out").summary["status"] == "completed"
    with pytest.raises(RunError):
        carom.Run(tmp_path / "nothing")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    carom.simulate(robots / "ball" / "bounce.toml", {"duration": 0.1}, out=tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "mine"
    with pytest.raises(RunError):
        carom.simulate(robots / "ball" / "bounce.toml", out=tmp_path / "mine" / "thesis.txt")


def test_a_run_that_stops_is_a_result(robots):
    def law(seen):
        return np.full(4, np.nan) if seen.time > 0.05 else None

    run = carom.simulate(robots / "chain" / "chain4.toml", {"duration": 1.0}, controller=law)
    assert run.summary["status"] == "stopped" and "not finite" in run.summary["reason"]

    def other(seen):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        carom.simulate(robots / "chain" / "chain4.toml", {"duration": 1.0}, controller=other)


def test_ctrl_c_leaves_what_was_done(robots, tmp_path):
    threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        carom.simulate(robots / "chain" / "chain4.toml", {"duration": 1e5, "output.every": 1000}, out=tmp_path / "out")
    run = carom.Run(tmp_path / "out")
    assert run.summary["status"] == "stopped" and run.summary["reason"] == "interrupted"
    assert run.series.rows > 1
