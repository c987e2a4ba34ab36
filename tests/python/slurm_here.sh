#!/bin/bash
# A Slurm of one node for the time of a command: slurm_here.sh COMMAND ...
# Needs root and Debian's slurm-wlm and munge. Everything that it writes and starts is its own and gone in the end.
set -euo pipefail

home=$(mktemp -d /tmp/carom-slurm.XXXXXX)
started=()
leave() {
    # The last one that was started first.
    for ((i = ${#started[@]} - 1; i >= 0; i--)); do kill "${started[i]}" 2>/dev/null || true; done
    wait || true
    rm -rf "$home"
}
trap leave EXIT

mkdir -p "$home"/{state,spool,munge}
chmod 755 "$home"
dd if=/dev/urandom of="$home/munge/key" bs=128 count=1 status=none
chmod 400 "$home/munge/key"
chown -R munge: "$home/munge"
setpriv --reuid munge --regid munge --clear-groups munged --foreground --key-file "$home/munge/key" \
    --socket "$home/munge/socket" --pid-file "$home/munge/pid" --seed-file "$home/munge/seed" \
    --log-file "$home/munge/log" >"$home/munged.log" 2>&1 &
started+=($!)
for _ in $(seq 50); do [[ -S $home/munge/socket ]] && break; sleep 0.1; done
chmod 755 "$home/munge"

node=$(hostname -s)
cat >"$home/slurm.conf" <<CONF
ClusterName=carom
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$home/munge/socket
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$home/state
SlurmdSpoolDir=$home/spool
SlurmctldPidFile=$home/slurmctld.pid
SlurmdPidFile=$home/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,sched_min_interval=100000,batch_sched_delay=0
ReturnToService=2
JobRequeue=1
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$home/slurm.conf
# No cgroups: a container need not have any of its own.
printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nIgnoreSystemd=yes\n' >"$home/cgroup.conf"
slurmctld -D -i -f "$SLURM_CONF" >"$home/slurmctld.log" 2>&1 &
started+=($!)
slurmd -D -f "$SLURM_CONF" -N "$node" >"$home/slurmd.log" 2>&1 &
started+=($!)
for _ in $(seq 100); do
    sinfo -h -o %t 2>/dev/null | grep -q idle && break
    sleep 0.2
done
if ! sinfo -h -o %t | grep -q idle; then
    echo 'Slurm does not start here:' >&2
    tail -n 5 "$home"/*.log >&2
    exit 1
fi
"$@"
