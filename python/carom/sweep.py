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


class SweepError(RuntimeError):
    """The program refused, or a part could not be done. The message is that of the program."""


def _program(program: str | None) -> str:
    found = program or os.environ.get("CAROM") or shutil.which("carom")
    if not found:
        raise SweepError("there is no program carom on the path; name it in the environment variable CAROM")
    return found


def _call(arguments: Sequence[str], program: str | None, allowed: Iterable[int] = (0,)) -> dict[str, Any]:
    command = [_program(program), "sweep", *arguments, "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in allowed:
        raise SweepError(done.stderr.strip() or f"{' '.join(command)}: exit code {done.returncode}")
    answer: dict[str, Any] = json.loads(done.stdout) if done.stdout.strip() else {}
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

    folder = Path(out)
    shards = open_shards(folder, of, program=program)
    shown = _Progress(progress, len(shards))
    options = {"settings": tuple(settings), "jobs": jobs, "program": program, "shared": shared}
    futures = [
        client.submit(run_part, os.fspath(sweep), os.fspath(folder), k, of, **options, retries=retries, pure=False)
        for k in shards
    ]
    try:
        # Dask says no types.
        for future in distributed.as_completed(futures):  # type: ignore[no-untyped-call, unused-ignore]
            answer = future.result()
            if not shared:
                _keep(folder, answer)
            # What is written need not stay in the memory of the workers.
            future.release()
            shown.step()
    finally:
        client.cancel(futures)
    return merge(folder, program=program)


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
    folder = Path(out)
    shards = open_shards(folder, of, program=program)
    shown = _Progress(progress, len(shards))
    task = ray.remote(max_retries=retries, retry_exceptions=True, num_cpus=jobs)(run_part)
    options = {"settings": tuple(settings), "jobs": jobs, "program": program, "shared": shared}
    open_tasks = [task.remote(os.fspath(sweep), os.fspath(folder), k, of, **options) for k in shards]
    try:
        while open_tasks:
            ready, open_tasks = ray.wait(open_tasks, num_returns=1)
            for answer in ray.get(ready):
                if not shared:
                    _keep(folder, answer)
                shown.step()
    finally:
        for one in open_tasks:
            ray.cancel(one, force=True)
    return merge(folder, program=program)
