// SPDX-License-Identifier: Apache-2.0
#include "twice.h"
int main() { run_twice(nullptr, 0); }
