// SPDX-License-Identifier: Apache-2.0
// Sorter of the hot contexts of a warp: sorts the hot contexts and a new split by program counter, merges those at the
// same one, and moves the one that leaves for the cold table last. Combinational: three comparators of each kind, then
// steering of whole contexts.
// Source: docs/sources/branch-and-warp-interweaving.md, 2.6 and 8. Model: sort_contexts() in
// models/sm/grouping/interweaving/context_sorter.h.
`default_nettype none

module context_sort #(
    parameter int HOT = 2,  // hot contexts of a warp: 1 or 2
    parameter int PC_BITS = 32,
    parameter int THREADS = 64  // of a warp
) (
    // Context k of a port: bit k, or PC_BITS or THREADS bits from k times that on. With one hot context, input 1 is not
    // valid.
    input  wire logic [          2:0] valid,
    input  wire logic [          2:0] fixed,         // the next program counter is not known yet; at most HOT
    input  wire logic [3*PC_BITS-1:0] pc,
    input  wire logic [3*THREADS-1:0] masks,
    output logic      [          2:0] sorted_valid,  // the hot ones by program counter, then the leaving one
    output logic      [          2:0] sorted_fixed,
    output logic      [3*PC_BITS-1:0] sorted_pc,     // 0 where not valid
    output logic      [3*THREADS-1:0] sorted_masks,
    output logic      [          8:0] sources,       // 3 * k + i: output k contains input i
    output logic                      push           // a context leaves
);
  // A context without threads is dropped.
  logic [2:0] live;
  for (genvar i = 0; i < 3; i++) begin : g_live
    assign live[i] = valid[i] & |masks[i*THREADS+:THREADS] & (HOT == 2 || i != 1);
  end

  // Pairs of inputs: 0 and 1, 0 and 2, 1 and 2.
  logic [2:0] joins, swapped;
  for (genvar p = 0; p < 3; p++) begin : g_pair
    localparam int A = p == 2 ? 1 : 0, B = p == 0 ? 1 : 2;
    logic below, equal;
    assign below = pc[A*PC_BITS+:PC_BITS] < pc[B*PC_BITS+:PC_BITS];
    assign equal = pc[A*PC_BITS+:PC_BITS] == pc[B*PC_BITS+:PC_BITS];
    assign joins[p] = live[A] & live[B] & equal & ~fixed[A] & ~fixed[B];
    // B comes first: at a lower program counter, or fixed at the same one.
    assign swapped[p] = ~below & (~equal | (fixed[B] & ~fixed[A]));
  end

  // The first of the inputs that join stands for all of them.
  logic [2:0] kept;
  assign kept = live & ~{joins[1] | joins[2], joins[0], 1'b0};
  // Bit 3 * i + j: input i stands for j; input j comes before i.
  logic [8:0] members, order;
  assign members = {3'b100, joins[2], 2'b10, joins[1], joins[0], 1'b1};
  assign order   = {1'b0, ~swapped[2], ~swapped[1], swapped[2], 1'b0, ~swapped[0], swapped[1], swapped[0], 1'b0};

  // The last one that is not fixed leaves if there are too many.
  logic full;
  logic [2:0] leaves;
  assign full = kept[0] & (kept[1] | HOT == 1) & kept[2];
  for (genvar i = 0; i < 3; i++) begin : g_leaves
    localparam int A = (i + 1) % 3, B = (i + 2) % 3;
    assign leaves[i] = full & kept[i] & ~fixed[i] & ~(kept[A] & ~fixed[A] & order[3*A+i]) &
        ~(kept[B] & ~fixed[B] & order[3*B+i]);
  end
  assign push = |leaves;

  // The output of each input, from the number of inputs that precede it. Bit 3 * k + i: input i stands in output k.
  logic [8:0] places;
  for (genvar i = 0; i < 3; i++) begin : g_place
    localparam int A = (i + 1) % 3, B = (i + 2) % 3;
    logic behind_a, behind_b;
    assign behind_a = kept[A] & ~leaves[A] & (leaves[i] | order[3*i+A]);
    assign behind_b = kept[B] & ~leaves[B] & (leaves[i] | order[3*i+B]);
    assign places[i] = kept[i] & ~behind_a & ~behind_b;
    assign places[3+i] = kept[i] & (behind_a ^ behind_b);
    assign places[6+i] = kept[i] & behind_a & behind_b;
  end

  for (genvar k = 0; k < 3; k++) begin : g_output
    assign sources[3*k+:3] = (members[0+:3] & {3{places[3*k]}}) | (members[3+:3] & {3{places[3*k+1]}}) |
        (members[6+:3] & {3{places[3*k+2]}});
    assign sorted_valid[k] = |places[3*k+:3];
    assign sorted_fixed[k] = |(places[3*k+:3] & fixed);
    assign sorted_pc[k*PC_BITS+:PC_BITS] = (pc[0+:PC_BITS] & {PC_BITS{places[3*k]}}) |
        (pc[PC_BITS+:PC_BITS] & {PC_BITS{places[3*k+1]}}) | (pc[2*PC_BITS+:PC_BITS] & {PC_BITS{places[3*k+2]}});
    assign sorted_masks[k*THREADS+:THREADS] = (masks[0+:THREADS] & {THREADS{sources[3*k]}}) |
        (masks[THREADS+:THREADS] & {THREADS{sources[3*k+1]}}) |
        (masks[2*THREADS+:THREADS] & {THREADS{sources[3*k+2]}});
  end
endmodule

`default_nettype wire
