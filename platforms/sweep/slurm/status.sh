#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# status.sh JOB: prints the job's state for Snakemake: running, success or failed. A job unknown to Slurm is looked up
# in accounting; without accounting it counts as failed, as retrying a finished run costs nothing.
job=$1
said=$(scontrol show job -o "$job" 2>&1)
state=$(sed -n 's/.* JobState=\([A-Z_]*\).*/\1/p' <<<"$said" | head -n 1)
if [ -z "$state" ] && [[ $said == *"Invalid job id"* ]]; then
  state=$(sacct -X -n -P -o State -j "$job" 2>/dev/null | head -n 1)
  state=${state%% *}
  state=${state:-FORGOTTEN}
fi
case $state in
  COMPLETED) echo success ;;
  # No answer: the controller may be temporarily down.
  '' | PENDING | CONFIGURING | RUNNING | COMPLETING | SUSPENDED | REQUEUED | REQUEUE_HOLD | RESIZING | STOPPED | STAGE_OUT | SIGNALING) echo running ;;
  *) echo failed ;;
esac
