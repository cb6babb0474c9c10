// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"
