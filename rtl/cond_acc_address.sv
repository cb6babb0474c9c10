// SPDX-License-Identifier: Apache-2.0
// Addresses of a conditional accumulate: the lanes whose predicate is true write consecutive elements, in lane order,
// starting at the base. Combinational; the sums come from the fast prefix-sum network.
// Source: docs/sources/large-warps-and-database-search.md, 2.10 and 8. Model: conditional accumulate in
// models/isa/prefix_operations.h.
`default_nettype none

module cond_acc_address #(
    parameter int LANES = 32,  // a power of two, 2 .. 64
    parameter int ADDRESS_BITS = 64,
    localparam int BITS = $clog2(LANES) + 1
) (
    input  wire logic [             LANES-1:0] predicates,  // active lanes whose predicate is true
    input  wire logic [      ADDRESS_BITS-1:0] base,        // address of the first element
    input  wire logic [                   1:0] size,        // log2 of the bytes of an element
    output logic      [LANES*ADDRESS_BITS-1:0] address,     // of each lane; valid where write is set
    output logic      [             LANES-1:0] write,
    output logic      [              BITS-1:0] count        // elements written
);
  logic [BITS*LANES-1:0] inclusive;
  prefix_sum_ks #(.LANES(LANES)) u_sum (.predicates, .inclusive, .total(count));

  assign write = predicates;

  // A lane's place is the exclusive sum, which is the inclusive sum of the lane below.
  assign address[ADDRESS_BITS-1:0] = base;
  for (genvar i = 1; i < LANES; i++) begin : g_lane
    logic [BITS-1:0] place;
    for (genvar b = 0; b < BITS; b++) begin : g_bit
      assign place[b] = inclusive[b*LANES+i-1];
    end
    assign address[i*ADDRESS_BITS+:ADDRESS_BITS] = base + ({{ADDRESS_BITS - BITS{1'b0}}, place} << size);
  end

  // The last lane's inclusive sum is not used as a place.
  logic unused;
  assign unused = &{1'b0, inclusive};
endmodule

`default_nettype wire
