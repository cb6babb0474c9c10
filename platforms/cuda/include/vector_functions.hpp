// SPDX-License-Identifier: Apache-2.0
#pragma once
#define __VECTOR_FUNCTIONS_HPP__
#include "vector_functions.h"
