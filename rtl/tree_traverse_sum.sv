// SPDX-License-Identifier: Apache-2.0
// Result of a tree traverse: each lane adds the number of true predicates, times the node size, to its base.
// Combinational. Only the total of the fast prefix-sum network is used, so that synthesis keeps just the tree for it.
// Source: docs/sources/large-warps-and-database-search.md, 2.11 and 8.
// Model: tree traverse in models/isa/prefix_operations.h.
`default_nettype none

module tree_traverse_sum #(
    parameter int LANES = 32,  // a power of two, 2 .. 64
    parameter int RESULT_BITS = 64,
    localparam int BITS = $clog2(LANES) + 1
) (
    input  wire logic [            LANES-1:0] predicates,  // active lanes whose predicate is true
    input  wire logic [LANES*RESULT_BITS-1:0] base,        // of each lane: address of the left-most child
    input  wire logic [                  4:0] shift,       // log2 of the node size
    output logic      [LANES*RESULT_BITS-1:0] result       // of each lane
);
  logic [BITS*LANES-1:0] inclusive;
  logic [BITS-1:0] total;
  prefix_sum_ks #(.LANES(LANES)) u_sum (.predicates, .inclusive, .total);

  logic [RESULT_BITS-1:0] offset;
  assign offset = {{RESULT_BITS - BITS{1'b0}}, total} << shift;
  for (genvar i = 0; i < LANES; i++) begin : g_lane
    assign result[i*RESULT_BITS+:RESULT_BITS] = base[i*RESULT_BITS+:RESULT_BITS] + offset;
  end

  logic unused;
  assign unused = &{1'b0, inclusive};
endmodule

`default_nettype wire
