// SPDX-License-Identifier: Apache-2.0
// Step of the dependency matrices of a warp: the Boolean product of each matrix with that of the latest move of threads.
// Bit 3 * i + j of a matrix: some thread of i when the matrix began is in j now; 0 and 1 are the hot contexts, 2 stands
// for all others. Combinational.
// Source: docs/sources/branch-and-warp-interweaving.md, 2.7 and 8. Model: product() in
// models/sm/hazards/dependency_step.h.
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
      assign stepped[9*e+3*i+:3] = (step[0+:3] & {3{entries[9*e+3*i]}}) | (step[3+:3] & {3{entries[9*e+3*i+1]}}) |
          (step[6+:3] & {3{entries[9*e+3*i+2]}});
    end
  end
endmodule

`default_nettype wire
