// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HOST_CONFIG_H
#define HEDDLE_HOST_CONFIG_H
#define __HOST_CONFIG_H__
#include "host_defines.h"
#endif
