// SPDX-License-Identifier: Apache-2.0
// Prefix sums of predicates over lanes, fast form (Kogge and Stone): log2 LANES levels. In level k each lane adds the
// sum of the lane 2^(k-1) below it, with an adder of k bits. Sums are stored in planes, plane b holding bit b of every
// lane, so that one full adder for all lanes is a few word-wide operations. Lanes without such a lane below them add
// zero, which synthesis removes. Sums numbers of several bits, too, with wider adders.
// Source: docs/sources/large-warps-and-database-search.md, 2.12. Model: PrefixSum in models/isa/prefix_sum.h.
`default_nettype none

module prefix_sum_ks #(
    parameter int LANES = 32,  // a power of two, 2 .. 64
    parameter int VALUE_BITS = 1,  // of what is summed
    localparam int LEVELS = $clog2(LANES),
    localparam int BITS = LEVELS + VALUE_BITS
) (
    input  wire logic [VALUE_BITS*LANES-1:0] predicates,  // or numbers, in planes as the sums
    output logic      [      BITS*LANES-1:0] inclusive,   // bit b * LANES + i: bit b of the sum over lanes 0 .. i
    output logic      [            BITS-1:0] total        // over all lanes
);
  logic [LANES-1:0] here, below, carry;
  always_comb begin
    inclusive = {{LEVELS * LANES{1'b0}}, predicates};
    for (int k = 1; k <= LEVELS; k++) begin
      carry = '0;
      for (int b = 0; b < VALUE_BITS + k - 1; b++) begin
        here  = inclusive[b*LANES+:LANES];
        below = here << (1 << (k - 1));
        inclusive[b*LANES+:LANES] = here ^ below ^ carry;
        carry = (here & below) | (carry & (here ^ below));
      end
      inclusive[(VALUE_BITS+k-1)*LANES+:LANES] = carry;
    end
  end

  for (genvar b = 0; b < BITS; b++) begin : g_total
    assign total[b] = inclusive[b*LANES+LANES-1];
  end
endmodule

`default_nettype wire
