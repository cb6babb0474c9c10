// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
void report(const char* what) { std::printf("report %s\n", what); }
