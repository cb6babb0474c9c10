// SPDX-License-Identifier: Apache-2.0
// libstdc++ uses __attribute__((__noinline__)) here, so CUDA's __noinline__ must not be a macro.
#pragma GCC system_header
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/basic_string.tcc>
#pragma pop_macro("__noinline__")
