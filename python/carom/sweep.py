"""Sweeps on the machines of Dask or Ray.

A sweep is divided into shards. Each is done by the program ``carom`` (that of the environment variable ``CAROM``, else
the one on the path) and comes to one part, whole or not at all; merged, all parts are the same bytes whoever made them.

>>> from dask.distributed import Client                              # doctest: +SKIP
>>> from carom import sweep                                          # doctest: +SKIP
>>> sweep.run_dask(Client(), "drops.sweep.toml", "out/drops", 64)    # doctest: +SKIP
>>> import ray; sweep.run_ray(ray, "drops.sweep.toml", "out/drops", 64)  # doctest: +SKIP

Nothing here needs Dask or Ray but for the objects that are given.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

__all__ = ["SweepError", "merge", "open_shards", "run_dask", "run_part", "run_ray", "status"]

MANIFEST = "sweep.json"
PARTS = "parts"
INCOMPLETE = 3
PATIENCE = 5.0
"""Seconds that a program that was told to stop has for it."""


class SweepError(RuntimeError):
    """The program refused, or a part could not be done. The message is that of the program."""


def _program(program: str | None) -> str:
    found = program or os.environ.get("CAROM") or shutil.which("carom")
    if not found:
        raise SweepError("there is no program carom on the path; name it in the environment variable CAROM")
    return found


def _call(arguments: Sequence[str], program: str | None, allowed: Iterable[int] = (0,)) -> dict[str, Any]:
    command = [_program(program), "sweep", *arguments, "--json", "--quiet"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        said, complaint = running.communicate()
    except BaseException:
        # It ends the run at hand and leaves no half of a part; where it does not, it is killed, which does not either.
        running.terminate()
        try:
            running.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            running.kill()
            running.communicate()
        raise
    if running.returncode not in allowed:
        raise SweepError(complaint.strip() or f"{' '.join(command)}: exit code {running.returncode}")
    answer: dict[str, Any] = json.loads(said) if said.strip() else {}
    return answer


def _options(settings: Sequence[str]) -> list[str]:
    return [word for entry in settings for word in ("--set", entry)]


def run_part(
    sweep: str | os.PathLike[str],
    out: str | os.PathLike[str],
    shard: int,
    of: int,
    *,
    settings: Sequence[str] = (),
    jobs: int = 1,
    program: str | None = None,
    shared: bool = True,
) -> dict[str, Any]:
    """Do shard ``shard`` of ``of`` (from 1) of a sweep file, and say which part it came to.

    It may be done anywhere, again, and twice at once: a plain function of plain arguments for any engine. With ``shared``
    the part is written into the folder ``out``, which all machines see; without, ``out`` is not touched and the answer
    holds the part's ``name`` and ``content`` and the ``manifest``, to be written by whoever asked. The sweep file and
    what it names must be there for the worker either way.
    """
    arguments = [os.fspath(sweep), "--shard", f"{shard}/{of}", "--jobs", str(jobs), *_options(settings)]
    if shared:
        return _call([*arguments, "--out", os.fspath(out)], program)
    with tempfile.TemporaryDirectory(prefix="carom-sweep-") as folder:
        answer = _call([*arguments, "--out", folder], program)
        answer["manifest"] = (Path(folder) / MANIFEST).read_bytes()
        if answer["part"] is not None:
            part = Path(answer["part"])
            answer |= {"name": part.name, "content": part.read_bytes()}
        return answer


def status(out: str | os.PathLike[str], of: int | None = None, *, program: str | None = None) -> dict[str, Any]:
    """What is missing in a folder: ``runs``, ``missing``, ``ranges``, and with ``of`` the open ``shards``."""
    more = [] if of is None else ["--of", str(of)]
    return _call(["status", os.fspath(out), *more], program, (0, INCOMPLETE))


def open_shards(out: str | os.PathLike[str], of: int, *, program: str | None = None) -> list[int]:
    """Shards of ``of`` that have runs that are missing; all of them where no sweep was begun."""
    if not (Path(out) / MANIFEST).exists():
        return list(range(1, of + 1))
    shards: list[int] = status(out, of, program=program)["shards"]
    return shards


def merge(
    out: str | os.PathLike[str], *sources: str | os.PathLike[str], parquet: bool = False, program: str | None = None
) -> dict[str, Any]:
    """Make the table of all parts, those of the folders ``sources`` too; returns the summary."""
    more = ["--parquet"] if parquet else []
    return _call(["merge", os.fspath(out), *(os.fspath(source) for source in sources), *more], program)


def _whole(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".partial", delete=False) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(file.name, path)


def _keep(out: Path, answer: dict[str, Any]) -> None:
    """Write what a worker without a shared folder has sent."""
    manifest = out / MANIFEST
    if not manifest.exists():
        _whole(manifest, answer["manifest"])
    elif manifest.read_bytes() != answer["manifest"]:
        raise SweepError(f"{manifest}: a worker ran another sweep: its files or its program differ from those here")
    if answer["part"] is not None:
        _whole(out / PARTS / answer["name"], answer["content"])


class _Progress:
    """How many shards are done, on a terminal."""

    def __init__(self, told: Callable[[int, int], None] | None, total: int) -> None:
        self.told, self.total, self.done = told, total, 0
        self.show()

    def show(self) -> None:
        if self.told is not None:
            self.told(self.done, self.total)
        elif sys.stderr.isatty():
            end = "\n" if self.done == self.total else ""
            print(f"\r{self.done}/{self.total} parts", end=end, file=sys.stderr, flush=True)

    def step(self) -> None:
        self.done += 1
        self.show()


class _Shards:
    """The open shards of a sweep that an engine does: what each is called with, and what becomes of its answer."""

    def __init__(
        self,
        sweep: str | os.PathLike[str],
        out: str | os.PathLike[str],
        of: int,
        settings: Sequence[str],
        jobs: int,
        shared: bool,
        program: str | None,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self.folder = Path(out)
        self.program, self.shared = program, shared
        shards = open_shards(self.folder, of, program=program)
        self.calls = [(os.fspath(sweep), os.fspath(self.folder), k, of) for k in shards]
        self.options = {"settings": tuple(settings), "jobs": jobs, "program": program, "shared": shared}
        self.shown = _Progress(progress, len(shards))

    def take(self, answer: dict[str, Any]) -> None:
        """A shard is done."""
        if not self.shared:
            _keep(self.folder, answer)
        self.shown.step()

    def merged(self) -> dict[str, Any]:
        return merge(self.folder, program=self.program)


def run_dask(
    client: Any,
    sweep: str | os.PathLike[str],
    out: str | os.PathLike[str],
    of: int,
    *,
    settings: Sequence[str] = (),
    jobs: int = 1,
    retries: int = 3,
    shared: bool = True,
    program: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Run the open shards of ``of`` on a ``dask.distributed.Client`` and merge; returns the summary.

    Parts are there as they are done: what was done before a call that is interrupted is not done again. Dask gives the
    shards of a worker that is lost to others; one that fails is tried ``retries`` times more.
    """
    from dask import distributed

    shards = _Shards(sweep, out, of, settings, jobs, shared, program, progress)
    futures = [client.submit(run_part, *call, **shards.options, retries=retries, pure=False) for call in shards.calls]
    try:
        # Dask says no types.
        for future in distributed.as_completed(futures):  # type: ignore[no-untyped-call, unused-ignore]
            shards.take(future.result())
            # What is written need not stay in the memory of the workers.
            future.release()
    finally:
        client.cancel(futures)
    return shards.merged()


def run_ray(
    ray: Any,
    sweep: str | os.PathLike[str],
    out: str | os.PathLike[str],
    of: int,
    *,
    settings: Sequence[str] = (),
    jobs: int = 1,
    retries: int = 3,
    shared: bool = True,
    program: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """The same on Ray: ``ray`` is the module, after ``ray.init``. Ray starts the shards of a process that died again."""
    shards = _Shards(sweep, out, of, settings, jobs, shared, program, progress)
    task = ray.remote(max_retries=retries, retry_exceptions=True, num_cpus=jobs)(run_part)
    open_tasks = [task.remote(*call, **shards.options) for call in shards.calls]
    try:
        while open_tasks:
            ready, open_tasks = ray.wait(open_tasks, num_returns=1)
            for answer in ray.get(ready):
                shards.take(answer)
    finally:
        for one in open_tasks:
            ray.cancel(one, force=True)
    return shards.merged()
