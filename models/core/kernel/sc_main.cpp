// SPDX-License-Identifier: Apache-2.0
// The distribution's libsystemc requires sc_main, but our programs elaborate from an ordinary main or a library.
#include <systemc>

extern "C" int sc_main(int, char**) { return 0; }
