// SPDX-License-Identifier: Apache-2.0
// Launches beyond cudaLaunchKernel's form.
#pragma once

#include "runtime/runtime.h"

namespace heddle::runtime {

/// Arguments by pointer, or where `arguments` is null in one buffer (`extra`, as cuLaunchKernel takes it).
cudaError_t launch_kernel(const void* function, const CallConfiguration& call, void** arguments, void** extra,
                          bool cooperative);
/// Says that clusters of blocks are not modelled. Returns the code of the refused launch.
cudaError_t refuse_clusters(const void* function);

}  // namespace heddle::runtime
