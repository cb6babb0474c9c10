// SPDX-License-Identifier: Apache-2.0
// The groups in which a waveform's signals appear in a viewer: the stages of each SM, then the memory side.
#pragma once

#include <string_view>

#include "core/trace/waveform_view.h"

namespace heddle::gpu {

/// scope: dotted path of a module, or of an entry of a structure in it. Unknown modules come last, as "other".
WaveformPlace waveform_place(std::string_view scope);

}  // namespace heddle::gpu
