#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# slurm_test.sh HEDDLE PROGRAM: sets up a single-node Slurm with two processors in a temporary folder (its own munge,
# controller and node daemon, all on loopback), runs a study on it through Snakemake, kills one of its jobs, and compares the
# table with that of a local sweep. Stops only the daemons it started. Exits with 77 (skipped) if packages are missing or it
# is not root.
set -euo pipefail
heddle=$1
program=$2
PATH=$PATH:/usr/sbin:/sbin
for tool in munged mungekey slurmctld slurmd sbatch scontrol scancel squeue snakemake; do
  command -v $tool >/dev/null || { echo "skipped: there is no $tool (packages slurm-wlm, munge, snakemake)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: daemons are started as root"; exit 77; }

work=$(mktemp -d)
chmod 755 "$work"
mkdir "$work"/{state,spool,run,munge}
started=()
# Each daemon is a child of this script and is killed by its process id.
clean_up() {
  local status=$? pid
  if [ $status != 0 ]; then
    echo "--- the test failed"
    tail -n 20 "$work"/*.log "$work"/slurm/.snakemake/log/*.log 2>/dev/null || true
  fi
  # Jobs first: they would survive their node daemon.
  if [ ${#started[@]} -gt 2 ]; then
    timeout 10 scancel --me 2>/dev/null || true
    for _ in {1..50}; do [ -n "$(timeout 10 squeue -h 2>/dev/null)" ] || break; sleep 0.2; done
  fi
  for ((i = ${#started[@]} - 1; i >= 0; --i)); do
    pid=${started[i]}
    kill "$pid" 2>/dev/null || true
    for _ in {1..50}; do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
    kill -9 "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  rm -rf "$work"
  exit $status
}
trap clean_up EXIT

fail() { echo "FAILED: $*"; exit 1; }
# wait_for SECONDS COMMAND...: waits until the command succeeds.
wait_for() {
  local left=$(($1 * 5))
  shift
  until "$@" >/dev/null 2>&1; do
    left=$((left - 1))
    [ $left -gt 0 ] || fail "timed out: $*"
    sleep 0.2
  done
}

# Currently unused ports.
read -r controller_port node_port < <(python3 - <<'PY'
import socket
held = [socket.socket() for _ in range(2)]
for one in held:
    one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in held))
PY
)
host=$(hostname -s)
# Read by all commands below and by those in the jobs.
export SLURM_CONF=$work/slurm.conf
cat >"$SLURM_CONF" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller_port
SlurmdPort=$node_port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CryptoType=crypto/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/run/slurmctld.pid
SlurmdPidFile=$work/run/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
SlurmctldParameters=idle_on_node_suspend
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MailProg=/bin/true
ReturnToService=2
KillWait=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF

mungekey --create --keyfile "$work/munge/key" 2>/dev/null || dd if=/dev/urandom of="$work/munge/key" bs=128 count=1 status=none
chmod 400 "$work/munge/key"
chmod 755 "$work/munge"
# --force: munge refuses files below a world-writable folder such as /tmp.
munged --foreground --force --key-file "$work/munge/key" --socket "$work/munge/socket" --pid-file "$work/munge/pid" \
  --seed-file "$work/munge/seed" --log-file "$work/munged.log" --num-threads 2 >"$work/munged.out.log" 2>&1 &
started+=($!)
wait_for 10 test -S "$work/munge/socket"
slurmctld -D -c >"$work/slurmctld.out.log" 2>&1 &
started+=($!)
slurmd -D -N "$host" >"$work/slurmd.out.log" 2>&1 &
started+=($!)
node_is_idle() { [ "$(sinfo -h -o %T)" = idle ]; }
wait_for 30 node_is_idle

# One program long enough to be interrupted, and short ones.
cat >"$work/slow.sh" <<SH
#!/bin/sh
# The first run is killed while it waits; later runs continue immediately.
if [ ! -e "$work/met" ]; then echo \$\$ >"$work/waiting.partial"; mv "$work/waiting.partial" "$work/waiting"; sleep 120; fi
exec "$program" --size small
SH
chmod +x "$work/slow.sh"
cat >"$work/study.json" <<JSON
{"name": "slurm",
 "programs": [{"name": "short", "command": ["$program", "--size", "small"]},
              {"name": "slow", "command": ["./slow.sh"], "machines": ["small"]},
              {"name": "broken", "command": ["/bin/sh", "-c", "echo it broke >&2; exit 3"], "machines": ["small"]}],
 "machines": ["small", "gtx480"],
 "parameters": {"sm.order": ["gto", "lrr"]},
 "exclude": [{"program": ["slow", "broken"], "sm.order": "lrr"}],
 "requests": {"memory_gib": 0.25, "minutes": 5},
 "retries": 2}
JSON

cd "$work"
"$heddle" sweep study.json -o slurm --slurm --jobs 4 -- --latency-wait 10 >snakemake.log 2>&1 &
sweep=$!
started+=($sweep)
wait_for 120 test -e waiting
jobs=$(squeue -h -t RUNNING -o %i)
[ -n "$jobs" ] || fail "no job is running"
# Kills the process of the run, not Slurm's, as an out-of-memory condition would.
slow=$(cat waiting)
job=$(tr '\0' '\n' <"/proc/$slow/environ" | sed -n 's/^SLURM_JOB_ID=//p')
[ -n "$job" ] || fail "the waiting program is not in a job"
limits=$(scontrol show job -o "$job")
[[ $limits == *"MinMemoryNode=256M"* ]] || fail "the job has not asked for its memory: $limits"
[[ $limits == *"TimeLimit=00:06:00"* ]] || fail "the job has not asked for its time: $limits"
rm waiting
kill -9 "$slow"
# The run is retried as another job, which is then cancelled.
wait_for 120 test -e waiting
slow=$(cat waiting)
again=$(tr '\0' '\n' <"/proc/$slow/environ" | sed -n 's/^SLURM_JOB_ID=//p')
[ "$again" != "$job" ] || fail "the run that was killed was not tried again in a job of its own"
touch met
scancel "$again"
gone() { ! kill -0 "$slow" 2>/dev/null; }
wait_for 30 gone
status=0
wait $sweep || status=$?
unset 'started[-1]'
# One program fails every time.
[ $status = 1 ] || fail "the sweep ended with status $status"
[ "$(grep -c 'Trying to restart job' snakemake.log)" -ge 4 ] || fail "Snakemake did not restart what failed"

ls slurm/marks/*.txt >/dev/null || fail "the jobs left no log"

"$heddle" sweep study.json -o local -q 2>local.log && fail "the local sweep has no failure"
# All columns except wall time and memory.
columns() { cut -d, -f1-6,9- "$1"; }
diff <(columns local/results.csv) <(columns slurm/results.csv) || fail "the tables differ"
[ "$(grep -c ,finished, slurm/results.csv)" = 5 ] || fail "not all runs finished"
[ "$(grep -c ,failed,3, slurm/results.csv)" = 1 ] || fail "the failure is not in the table"
grep -q 'it broke' local.log || fail "the failure is not listed"

# Finished runs are not repeated.
before=$(find slurm/runs -name status.json -newer study.json -exec grep -l finished {} + | xargs stat -c '%n %y' | sort)
"$heddle" sweep study.json -o slurm --slurm --jobs 4 >again.log 2>&1 || true
after=$(find slurm/runs -name status.json -newer study.json -exec grep -l finished {} + | xargs stat -c '%n %y' | sort)
[ "$before" = "$after" ] || fail "a finished run was repeated"
[ -z "$(squeue -h)" ] || fail "a job was left behind"
echo "passed"
