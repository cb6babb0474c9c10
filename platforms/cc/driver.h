// SPDX-License-Identifier: Apache-2.0
// `heddle cc`: accepts nvcc's command line and builds CUDA programs for the model with clang.
//   CUDA source -> device pass -> PTX text -> host pass, which embeds the text -> object -> link with libcudart.so
// Relocatable device code is gathered at the link (device_link.h). Never searches for or uses an installed CUDA
// toolkit.
#pragma once

namespace heddle::cc {

/// Entry point: argv[0] is the command's name, the rest nvcc's arguments. Returns the process exit status; messages go
/// to standard error.
int main(int argc, char** argv);

}  // namespace heddle::cc
