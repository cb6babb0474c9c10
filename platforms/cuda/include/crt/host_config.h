// SPDX-License-Identifier: Apache-2.0
// The public header has it.
#ifndef HEDDLE_CRT_HOST_CONFIG_H
#define HEDDLE_CRT_HOST_CONFIG_H
#include "../host_config.h"
#endif
