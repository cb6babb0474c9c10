// SPDX-License-Identifier: Apache-2.0
// The whole device math library, in namespace heddle_math.
#pragma once

#include "bessel.h"
#include "error.h"
#include "exponential.h"
#include "gamma.h"
#include "logarithm.h"
#include "parts.h"
#include "power.h"
#include "trigonometric.h"
