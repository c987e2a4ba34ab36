#!/usr/bin/env python3
"""One sweep on every engine that is installed: the same bytes, and what it took.

usage: CAROM=target/release/carom benches/sweep_engines.py [SWEEP.toml] [KEY=VALUE ...]

ENGINES=plain,dask in the environment chooses some of plain, shards, dask, ray, snakemake, mpi, slurm and merge. Of Dask and
Ray a worker is killed after the first parts. `merge` makes the table from which sweeps are planned: what a run takes, and
the merge of 10^6 runs from parts that are made up. Needs what tests/python/test_sweep.py needs; an engine that is not there is left out.
"""

import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from carom import sweep

ROOT = Path(__file__).resolve().parents[1]

CAROM = os.path.abspath(os.environ.get("CAROM") or shutil.which("carom") or "target/release/carom")
os.environ["CAROM"] = CAROM
MANY = 1_000_000


def kill_one(victim):
    """A progress that kills a process once, after the second part."""
    killed = []

    def told(done, _total):
        if done >= 2 and not killed:
            killed.append(victim())
            os.kill(killed[0], signal.SIGKILL)

    return told


def call(*words):
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)


def plain(file, out, keys):
    call(CAROM, "sweep", file, "--out", out, "--quiet", *keys)


def shards(of):
    def run(file, out, keys):
        for k in range(of, 0, -1):
            call(CAROM, "sweep", file, "--out", out, "--shard", f"{k}/{of}", "--quiet", *keys)
        call(CAROM, "sweep", "merge", out, "--quiet")

    return run


def settings(keys):
    return list(keys[1::2])


def dask(file, out, keys):
    from dask.distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        told = kill_one(lambda: next(iter(client.run(os.getpid).values())))
        sweep.run_dask(client, file, out, 64, settings=settings(keys), progress=told)


def ray(file, out, keys):
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        pid = ray.remote(lambda: os.getpid())
        sweep.run_ray(ray, file, out, 64, settings=settings(keys), progress=kill_one(lambda: ray.get(pid.remote())))
    finally:
        ray.shutdown()


def mpi(file, out, keys):
    more = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    ranks = ["mpirun", "-n", "4", "--oversubscribe", "--bind-to", "none", *more]
    call(*ranks, CAROM, "sweep", file, "--mpi", "--out", out, "--quiet", *keys)


def snakemake(file, out, keys):
    config = [f"sweep={os.path.abspath(file)}", f"out={out}", "shards=16", f"carom={CAROM}"]
    if keys:
        config.append(f"set={' '.join(settings(keys))}")
    words = ["--snakefile", ROOT / "examples/sweep/Snakefile", "--cores", "2", "--quiet", "all", "--config", *config]
    subprocess.run([sys.executable, "-m", "snakemake", *map(str, words)], check=True, cwd=out.parent, capture_output=True)


def slurm(file, out, keys):
    more = {"SWEEP": os.path.abspath(file), "OUT": str(out), "SHARDS": "16", "SWEEP_OPTIONS": " ".join(keys)}
    words = ["sbatch", "--wait", "--array=1-16", "--output", "/dev/null", str(ROOT / "examples/sweep/sweep.sbatch")]
    subprocess.run(words, check=True, env=os.environ | more, stdout=subprocess.DEVNULL)
    call(CAROM, "sweep", "merge", out, "--quiet")


def many_parts(source, out):
    """A sweep of 10^6 runs in a thousand parts, whose rows are those of `source` over and over."""
    manifest = json.loads((source / "sweep.json").read_text())
    manifest["runs"] = MANY
    (out / "parts").mkdir(parents=True)
    (out / "sweep.json").write_text(json.dumps(manifest))
    rows = [line.split(",", 1)[1] for line in (source / "runs.csv").read_text().splitlines(keepends=True)[1:]]
    heading = f"carom sweep part of {manifest['fingerprint']}\n"
    for first in range(0, MANY, 1000):
        body = "".join(f"{i},{rows[i % len(rows)]}" for i in range(first, first + 1000))
        text = (heading + body).encode()
        name = f"{first:010}-{first + 1000:010}-{hashlib.sha256(text).hexdigest()[:16]}.part"
        (out / "parts" / name).write_bytes(text)


def weighed(*words):
    """Runs a command; wall time, time of cores and memory at most, of it alone."""
    begun = time.monotonic()
    running = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode != 0:
        raise subprocess.CalledProcessError(running.returncode, words)
    return time.monotonic() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def size(folder):
    return sum(path.stat().st_size for path in Path(folder).glob("*.part"))


def planning(whole, many, cores):
    """What a sweep of any size takes, as a table: of a run from the plain sweep in `whole`, of the rest from 10^6 runs."""
    runs = json.loads((whole / "sweep.json").read_text())["runs"]
    rows = [("a run", f"{1e3 * cores / runs:.2f} ms of a core")]
    rows.append(("its row in a part", f"{size(whole / 'parts') / runs:.0f} bytes"))
    rows.append(("its row of runs.csv", f"{(whole / 'runs.csv').stat().st_size / runs:.0f} bytes"))
    many_parts(whole, many)
    for what, more in [("merge", []), ("merge with --parquet", ["--parquet"])]:
        try:
            wall, cores, memory = weighed(CAROM, "sweep", "merge", many, "--quiet", *more)
        except subprocess.CalledProcessError:
            # A build without the format has said so.
            continue
        taken = f"{cores:.1f} s of a core ({wall:.1f} s), {memory:.0f} MB of memory"
        rows.append((f"{what} of {MANY} runs in {MANY // 1000} parts", taken))
    if (many / "runs.parquet").exists():
        bytes_a_run = (many / "runs.parquet").stat().st_size / MANY
        rows.append(("its row of runs.parquet", f"{bytes_a_run:.0f} bytes, of rows that repeat"))
    _, cores, memory = weighed(CAROM, "sweep", "status", many, "--quiet")
    rows.append((f"status of {MANY // 1000} parts", f"{cores:.2f} s of a core, {memory:.0f} MB"))
    return "\n".join(["| what | takes |", "|---|---|", *(f"| {what} | {takes} |" for what, takes in rows)])


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(what, run):
    wall, before = time.monotonic(), cpu()
    run()
    return f"{what:22} {time.monotonic() - wall:8.1f} s wall {cpu() - before:8.1f} s of cores"


def main():
    file = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "robots/trex/drops.sweep.toml").resolve()
    keys = [word for entry in sys.argv[2:] for word in ("--set", entry)]
    engines = [("plain", "plain", plain), ("shards", "7 shards, backwards", shards(7))]
    engines += [("dask", "Dask, a worker killed", dask), ("ray", "Ray, a worker killed", ray)]
    engines += [("snakemake", "Snakemake, 16 jobs", snakemake), ("mpi", "MPI, 4 ranks", mpi)]
    engines += [("slurm", "Slurm, 16 jobs", slurm)]
    wanted = os.environ.get("ENGINES")
    chosen = wanted.split(",") if wanted else [*(word for word, _, _ in engines), "merge"]
    engines = [(name, run) for word, name, run in engines if word in chosen]
    tables = {}
    with tempfile.TemporaryDirectory(prefix="carom-engines-") as folder:
        for i, (name, run) in enumerate(engines):
            out = Path(folder) / str(i)
            try:
                line = measured(name, lambda: run(file, out, keys))
            except (ImportError, OSError, subprocess.CalledProcessError) as error:
                print(f"{name:22} left out: {error}", flush=True)
                continue
            tables[name] = hashlib.sha256((out / "runs.csv").read_bytes()).hexdigest()
            print(f"{line}  SHA-256 {tables[name][:16]}", flush=True)
        if "merge" not in chosen:
            return told_same(tables)
        whole = Path(folder) / "plan"
        begun = cpu()
        plain(file, whole, keys)
        cores = cpu() - begun
        print(planning(whole, Path(folder) / "many", cores), flush=True)
    return told_same(tables)


def told_same(tables):
    same = len(set(tables.values())) == 1
    print("the same bytes everywhere" if same else "THE BYTES DIFFER")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
