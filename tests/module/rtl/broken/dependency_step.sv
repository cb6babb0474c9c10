// SPDX-License-Identifier: Apache-2.0
// Broken on purpose, for the lockstep tests: a copy of rtl/dependency_step.sv that adds terms modulo 2.
`default_nettype none

module dependency_step #(
    parameter int ENTRIES = 6
) (
    input  wire logic [          8:0] step,     // matrix of the move
    input  wire logic [9*ENTRIES-1:0] entries,  // entry e in bits 9 * e to 9 * e + 8
    output logic      [9*ENTRIES-1:0] stepped   // the same after the move
);
  for (genvar e = 0; e < ENTRIES; e++) begin : g_entry
    for (genvar i = 0; i < 3; i++) begin : g_row
      // Row i of the product: the rows of the move that row i of the entry selects.
      assign stepped[9*e+3*i+:3] = (step[0+:3] & {3{entries[9*e+3*i]}}) ^ (step[3+:3] & {3{entries[9*e+3*i+1]}}) ^
          (step[6+:3] & {3{entries[9*e+3*i+2]}});
    end
  end
endmodule

`default_nettype wire
