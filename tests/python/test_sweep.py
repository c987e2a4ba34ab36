"""Sweeps on engines that are really started here, a worker of which is killed in the middle.

``CAROM`` names the program; what needs an engine that is not installed is skipped.
"""

import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from carom import sweep

ROOT = Path(__file__).resolve().parents[2]
RUNS = 60
SHARDS = 12
RESULTS = ["runs.csv", "summary.json", "sweep.html"]


def program() -> str:
    found = os.environ.get("CAROM") or shutil.which("carom")
    if not found:
        pytest.skip("there is no program carom")
    return found


@pytest.fixture(scope="session")
def file(tmp_path_factory):
    program()
    path = tmp_path_factory.mktemp("sweep") / "drops.sweep.toml"
    subject = ROOT / "robots/trex/drop.toml"
    path.write_text(
        f"""
subject = "{subject}"
set = ["duration=0.2"]
plan = {{ kind = "sobol", runs = {RUNS}, seed = 1 }}
vary = [
  {{ key = "initial.base.pitch", uniform = [0.33, 0.39] }},
  {{ key = "contact.restitution", uniform = [0.6, 1.2] }},
]
"""
    )
    return path


@pytest.fixture(scope="session")
def expected(file, tmp_path_factory):
    out = tmp_path_factory.mktemp("whole")
    subprocess.run([program(), "sweep", str(file), "--out", str(out), "--quiet"], check=True, capture_output=True)
    return contents(out)


def contents(out):
    return [(Path(out) / name).read_bytes() for name in RESULTS]


class KillOnce:
    """A progress that kills a process after the first parts."""

    def __init__(self, victim):
        self.victim, self.killed = victim, None

    def __call__(self, done, total):
        if done >= 2 and self.killed is None:
            self.killed = self.victim()
            os.kill(self.killed, signal.SIGKILL)


def test_a_part_is_a_plain_function(file, tmp_path):
    again = pickle.loads(pickle.dumps(sweep.run_part))
    assert again is sweep.run_part
    first = again(file, tmp_path, 1, SHARDS)
    assert first["runs"] == [0, RUNS // SHARDS]
    assert Path(first["part"]).exists()
    assert again(file, tmp_path, 1, SHARDS)["part"] is None
    assert sweep.open_shards(tmp_path, SHARDS) == list(range(2, SHARDS + 1))
    assert sweep.status(tmp_path)["missing"] == RUNS - RUNS // SHARDS


def test_refusals_are_those_of_the_program(file, tmp_path):
    with pytest.raises(sweep.SweepError, match="did you mean"):
        sweep.run_part(file, tmp_path, 1, 2, settings=["plan.rns=3"])
    with pytest.raises(sweep.SweepError, match="no sweep was run into this folder"):
        sweep.merge(tmp_path)


def test_ctrl_c_ends_the_program_and_leaves_no_half_of_a_part(file, tmp_path):
    # A shard of minutes: the signal comes in the middle of it.
    settings = ["plan.runs=1000000"]
    # To the process: the thread that waits for the program is the one that must hear it.
    threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        sweep.run_part(file, tmp_path, 1, 1, settings=settings)
    assert time.monotonic() - begun < 5.0
    parts = tmp_path / "parts"
    assert not parts.exists() or list(parts.iterdir()) == []
    children = subprocess.run(["pgrep", "-P", str(os.getpid()), "-x", "carom"], capture_output=True, text=True, check=False)
    assert children.stdout == ""


@pytest.mark.parametrize("shared", [True, False])
def test_dask_with_a_killed_worker(file, expected, tmp_path, shared):
    distributed = pytest.importorskip("dask.distributed")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:

        def worker():
            return next(iter(client.run(os.getpid).values()))

        killer = KillOnce(worker)
        told = sweep.run_dask(client, file, tmp_path, SHARDS, shared=shared, progress=killer)
    assert killer.killed is not None
    assert told["runs"] == RUNS
    assert contents(tmp_path) == expected


def test_ray_with_a_killed_worker(file, expected, tmp_path):
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        pid = ray.remote(lambda: os.getpid())

        def worker():
            # A process that waits for the next shard, or works on one.
            return ray.get(pid.remote())

        killer = KillOnce(worker)
        told = sweep.run_ray(ray, file, tmp_path, SHARDS, progress=killer)
    finally:
        ray.shutdown()
    assert killer.killed is not None
    assert told["runs"] == RUNS
    assert contents(tmp_path) == expected


def snakemake(file, out, *more):
    command = [
        sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "examples/sweep/Snakefile"), "--cores", "2",
        "--quiet", "all", "--config", f"sweep={file}", f"out={out}", f"shards={SHARDS}", f"carom={program()}", *more,
    ]  # fmt: skip
    return subprocess.Popen(command, cwd=out.parent, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_snakemake_with_a_killed_job(file, expected, tmp_path):
    pytest.importorskip("snakemake")
    out = tmp_path / "out"
    # A program that dies in its first run of shard 3: its job is tried again.
    fragile = tmp_path / "carom"
    fragile.write_text(
        f"""#!/bin/sh
case "$*" in *"--shard 3/"*) if mkdir {tmp_path}/died; then kill -9 $$; fi;; esac
exec {program()} "$@"
"""
    )
    fragile.chmod(0o755)
    run = snakemake(file, out, f"carom={fragile}")
    said, _ = run.communicate(timeout=300)
    assert run.returncode == 0, said
    assert (tmp_path / "died").exists()
    assert contents(out) == expected


def test_mpi_with_a_killed_rank(file, expected, tmp_path):
    mpirun = shutil.which("mpirun")
    refused = subprocess.run([program(), "sweep", str(file), "--mpi"], capture_output=True, text=True, check=False)
    if not mpirun or "no MPI" in refused.stderr:
        pytest.skip("no MPI here")
    command = [mpirun, "-n", "4", "--oversubscribe", "--bind-to", "none"]
    if os.geteuid() == 0:
        command.append("--allow-run-as-root")
    command += [program(), "sweep", str(file), "--mpi", "--out", str(tmp_path / "out"), "--set", "plan.part=3", "--quiet"]
    begun = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    parts = tmp_path / "out/parts"
    while begun.poll() is None and not (parts.is_dir() and any(parts.glob("*.part"))):
        time.sleep(0.005)
    children = subprocess.run(["pgrep", "-P", str(begun.pid)], capture_output=True, text=True, check=False)
    ranks = [int(pid) for pid in children.stdout.split()]
    if ranks:
        os.kill(ranks[-1], signal.SIGKILL)
    begun.wait(timeout=60)
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "out") == expected


def test_slurm_with_a_killed_job(file, expected, tmp_path):
    if not shutil.which("sbatch") or subprocess.run(["sinfo"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no Slurm here")
    out = tmp_path / "out"
    of = 4
    environment = os.environ | {"SWEEP": str(file), "OUT": str(out), "SHARDS": str(of), "CAROM": program()}
    submit = ["sbatch", "--parsable", f"--array=1-{of}", "--output", str(tmp_path / "log-%a"), "--chdir", str(tmp_path)]
    job = subprocess.run(
        [*submit, str(ROOT / "examples/sweep/sweep.sbatch")], env=environment, check=True, capture_output=True, text=True
    ).stdout.strip()
    killed = threading.Event()
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        queue = subprocess.run(["squeue", "-h", "-j", job, "-o", "%t"], capture_output=True, text=True, check=False)
        states = queue.stdout.split()
        if "R" in states and not killed.is_set():
            subprocess.run(["scancel", "--signal=KILL", f"{job}_1"], check=False)
            killed.set()
        if not states:
            break
        time.sleep(0.2)
    # What was killed is told and done again.
    missing = sweep.open_shards(out, of)
    for k in missing:
        sweep.run_part(file, out, k, of)
    sweep.merge(out)
    assert contents(out) == expected
