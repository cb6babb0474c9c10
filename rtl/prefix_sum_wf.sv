// SPDX-License-Identifier: Apache-2.0
// Prefix sums of predicates over lanes, work-efficient form (Brent and Kung): an up-sweep to the total, then a
// down-sweep. Nearly twice the levels of the fast form and fewer than half its adders: 57 in 9 levels for 32 lanes.
// Same ports and planes as prefix_sum_ks.
// Source: docs/sources/large-warps-and-database-search.md, 2.12. Model: PrefixSum in models/isa/prefix_sum.h.
`default_nettype none

module prefix_sum_wf #(
    parameter int LANES = 32,  // a power of two, 2 .. 64
    localparam int LEVELS = $clog2(LANES),
    localparam int BITS = LEVELS + 1
) (
    input  wire logic [     LANES-1:0] predicates,
    output logic      [BITS*LANES-1:0] inclusive,  // bit b * LANES + i: bit b of the sum over lanes 0 .. i
    output logic      [      BITS-1:0] total       // over all lanes
);
  // Mask of the lanes whose number is a multiple of `size`.
  function automatic logic [LANES-1:0] every(input int size);
    every = '0;
    for (int i = 0; i < LANES; i++) if (i % size == 0) every[i] = 1'b1;
  endfunction

  // Up-sweep, step k: the last lane of each group of 2^k adds the sum of the group's lower half. Down-sweep, k falling:
  // in each group of 2^k but the first, the last lane of the lower half adds the sum of all lanes below the group. A
  // sum of up to 2^k lanes has k + 1 bits.
  logic [LANES-1:0] adding, here, below, carry;
  always_comb begin
    inclusive = {{LEVELS * LANES{1'b0}}, predicates};
    for (int k = 1; k <= LEVELS; k++) begin
      adding = every(1 << k) << ((1 << k) - 1);
      carry  = '0;
      for (int b = 0; b < k; b++) begin
        here  = inclusive[b*LANES+:LANES];
        below = (here << (1 << (k - 1))) & adding;
        inclusive[b*LANES+:LANES] = here ^ below ^ carry;
        carry = (here & below) | (carry & (here ^ below));
      end
      inclusive[k*LANES+:LANES] = inclusive[k*LANES+:LANES] | carry;
    end
    for (int k = LEVELS - 1; k >= 1; k--) begin
      adding = every(1 << k) << ((1 << k) + (1 << (k - 1)) - 1);
      carry  = '0;
      for (int b = 0; b < LEVELS; b++) begin
        here  = inclusive[b*LANES+:LANES];
        below = (here << (1 << (k - 1))) & adding;
        inclusive[b*LANES+:LANES] = here ^ below ^ carry;
        carry = (here & below) | (carry & (here ^ below));
      end
    end
  end

  for (genvar b = 0; b < BITS; b++) begin : g_total
    assign total[b] = inclusive[b*LANES+LANES-1];
  end
endmodule

`default_nettype wire
