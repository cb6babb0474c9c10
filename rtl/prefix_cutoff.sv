// SPDX-License-Identifier: Apache-2.0
// Which of the numbers of a sequence lie below a cutoff when they are stacked in its order: prefix sums with a
// comparator each. Numbers are stored in planes, plane b holding bit b of every lane. Combinational.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.3.4, 2.5.4 and 8.
`default_nettype none

module prefix_cutoff #(
    parameter int LANES = 32,  // a power of two, 2 .. 64
    parameter int VALUE_BITS = 10,
    localparam int SUM_BITS = VALUE_BITS + $clog2(LANES)
) (
    input  wire logic [VALUE_BITS*LANES-1:0] values,
    input  wire logic [        SUM_BITS-1:0] cutoff,
    input  wire logic                        inclusive,  // all of a number has to lie below the cutoff, else its start
    output logic      [           LANES-1:0] below       // the first ones, as sums do not fall
);
  logic [SUM_BITS*LANES-1:0] sums;
  logic [SUM_BITS-1:0] total;
  prefix_sum_ks #(.LANES(LANES), .VALUE_BITS(VALUE_BITS)) u_sum (.predicates(values), .inclusive(sums), .total);

  // The end of each number against the cutoff, from the lowest bit up; at or below it counts if `inclusive`.
  logic [LANES-1:0] ends;
  always_comb begin
    ends = {LANES{inclusive}};
    for (int b = 0; b < SUM_BITS; b++)
      ends = cutoff[b] ? ~sums[b*LANES+:LANES] | ends : ~sums[b*LANES+:LANES] & ends;
  end
  // A number starts where the one before it ends.
  assign below = inclusive ? ends : {ends[LANES-2:0], |cutoff};

  logic unused;
  assign unused = &{1'b0, total};
endmodule

`default_nettype wire
