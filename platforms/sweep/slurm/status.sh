#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# status.sh JOB: prints what Snakemake wants to hear of a job: running, success or failed. A job that Slurm has forgotten is
# looked up in accounting; where there is none it counts as failed: trying it again costs nothing when it had finished.
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
  # Without an answer the controller may be down for a moment.
  '' | PENDING | CONFIGURING | RUNNING | COMPLETING | SUSPENDED | REQUEUED | REQUEUE_HOLD | RESIZING | STOPPED | STAGE_OUT | SIGNALING) echo running ;;
  *) echo failed ;;
esac
