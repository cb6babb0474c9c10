// SPDX-License-Identifier: Apache-2.0
// `heddle profile-loops [options] ./app arguments`: runs a program and writes a profile of its kernels' loops.
#include "cli/commands.h"
#include "cli/run.h"

namespace heddle::cli {

int profile_loops(int argc, char** argv) {
  const RecordedRun recorded{
      .name = "heddle profile-loops",
      .sentence =
          "Runs a CUDA program on the model and writes a profile of its kernels' loops: which of them have intra-warp "
          "locality, how their loads diverge, which loads share a line.",
      .footer =
          "A machine with sm.vetoes=divergence_aware reads the profile: "
          "--set sm.divergence_aware.classes=profiled --set sm.divergence_aware.profile=FILE.",
      .recorder = "loop_profile",
      .option = "-l,--loops",
      .what = "profile",
      .file = "loops.json",
      // A profile is taken without limits to who may load.
      .settings = {"sm.vetoes=[]"}};
  return run_recorded(recorded, argc, argv);
}

}  // namespace heddle::cli
