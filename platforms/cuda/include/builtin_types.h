// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_BUILTIN_TYPES_H
#define HEDDLE_BUILTIN_TYPES_H
#define __BUILTIN_TYPES_H__

#include "device_types.h"
#include "driver_types.h"
#include "surface_types.h"
#include "texture_types.h"
#include "vector_types.h"

#endif
