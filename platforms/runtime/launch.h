// SPDX-License-Identifier: Apache-2.0
// Launch forms other than cudaLaunchKernel.
#pragma once

#include "runtime/runtime.h"

namespace heddle::runtime {

/// Arguments by pointer or, if `arguments` is null, in one buffer (`extra`, as in cuLaunchKernel).
cudaError_t launch_kernel(const void* function, const CallConfiguration& call, void** arguments, void** extra,
                          bool cooperative);
/// Reports that block clusters are not modelled. Returns the error code of the refused launch.
cudaError_t refuse_clusters(const void* function);

}  // namespace heddle::runtime
