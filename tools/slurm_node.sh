#!/bin/bash
# A Slurm cluster of this one machine, with its files in one folder, independent of any
# other Slurm: munged, slurmctld and slurmd (Debian: slurm-wlm, munge).
# SPDX-License-Identifier: MIT
#
#   slurm_node.sh start DIR     start daemons; returns when a job can be sent
#   slurm_node.sh env DIR       print lines to evaluate: the cluster's settings
#   slurm_node.sh stop DIR      end its jobs and daemons
#
#     tools/slurm_node.sh start /tmp/node && eval "$(tools/slurm_node.sh env /tmp/node)"
#     srun -n 2 hostname
#
# It runs as root, or as any user; then jobs are that user's. There is no slurmdbd: no
# accounts and no sacct.
set -u
PATH=$PATH:/usr/sbin:/sbin

fail() { echo "slurm_node.sh: $*" >&2; exit 1; }
[ $# = 2 ] || fail "usage: slurm_node.sh start|stop|env DIR"
dir=$(realpath -m "$2")

free_port() { # from the first given on
    local port=$1
    while (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
    echo "$port"
}

# a daemon's process, if it belongs to this folder
ended() { # NAME
    local pid
    pid=$(cat "$dir/$1.pid" 2>/dev/null) || return 0
    ! grep -qz "$dir" "/proc/$pid/cmdline" 2>/dev/null
}

write_files() {
    local memory cpus host=node1 controller name
    memory=$(awk '/^MemTotal/ { print int($2 / 1024 * 0.9) }' /proc/meminfo)
    cpus=$(nproc) controller=$(free_port $((20000 + $$ % 20000)))
    mkdir -p "$dir"/{state,spool,run,bin} || fail "$dir cannot be made"
    chmod 755 "$dir" "$dir/run"
    [ -s "$dir/munge.key" ] ||
        (umask 077; head -c 1024 /dev/urandom >"$dir/munge.key")
    # Snakemake's plugin takes SLURM_CONF away from a job: the programs know it.
    for name in srun sbatch squeue scancel sinfo scontrol sacct; do
        printf '#!/bin/sh\nSLURM_CONF=%q exec %q "$@"\n' "$dir/slurm.conf" \
            "$(PATH=${PATH//"$dir/bin:"/} command -v "$name")" >"$dir/bin/$name"
    done
    printf '#!/bin/sh\necho "export PATH=%s/bin:$PATH"\n' "$dir" \
        >"$dir/environment"
    chmod 755 "$dir/environment" "$dir"/bin/*
    cat >"$dir/slurm.conf" <<END
ClusterName=one
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$controller
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$dir/run/munge
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
TaskProlog=$dir/environment
SwitchType=switch/none
ReturnToService=2
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
SlurmdSpoolDir=$dir/spool
StateSaveLocation=$dir/state
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
MinJobAge=600
InactiveLimit=0
KillWait=5
DefMemPerCPU=100
NodeName=$host NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$((controller + 1)) CPUs=$cpus RealMemory=$memory
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES:4
END
}

start() {
    local i
    for i in munged slurmctld slurmd; do
        command -v "$i" >/dev/null || fail "no $i (Debian: slurm-wlm, munge)"
    done
    write_files
    munged --socket="$dir/run/munge" --key-file="$dir/munge.key" \
        --pid-file="$dir/munged.pid" --log-file="$dir/munged.log" \
        --seed-file="$dir/munge.seed" --num-threads=2 --force \
        >"$dir/munged.said" 2>&1 || fail "munged: $(tail -3 "$dir/munged.said")"
    export SLURM_CONF=$dir/slurm.conf
    slurmctld -i -f "$SLURM_CONF" >"$dir/slurmctld.said" 2>&1 ||
        fail "slurmctld: $(tail -3 "$dir/slurmctld.log" "$dir/slurmctld.said")"
    slurmd -f "$SLURM_CONF" -N node1 >"$dir/slurmd.said" 2>&1 ||
        fail "slurmd: $(tail -3 "$dir/slurmd.log" "$dir/slurmd.said")"
    for ((i = 0; i < 150; i++)); do
        sinfo -h -o %t 2>/dev/null | grep -qx 'idle\|mix' && return
        sleep 0.2
    done
    stop
    fail "the node did not come up: $(tail -3 "$dir/slurmctld.log" "$dir/slurmd.log")"
}

stop() {
    local name pid i
    export SLURM_CONF=$dir/slurm.conf
    [ -e "$SLURM_CONF" ] || return 0 # nothing was started
    scancel -u "$(id -un)" >/dev/null 2>&1
    for name in slurmd slurmctld munged; do
        ended "$name" && continue
        pid=$(cat "$dir/$name.pid")
        kill "$pid"
        for ((i = 0; i < 50; i++)); do
            ended "$name" && break
            sleep 0.1
        done
        ended "$name" || kill -9 "$pid"
    done
}

case $1 in
start) start ;;
stop) stop ;;
env) echo "export SLURM_CONF=$dir/slurm.conf PATH=$dir/bin:\$PATH" ;;
*) fail "usage: slurm_node.sh start|stop|env DIR" ;;
esac
