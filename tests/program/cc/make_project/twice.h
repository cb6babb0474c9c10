// SPDX-License-Identifier: Apache-2.0
#pragma once
void run_twice(float* values, int count);
