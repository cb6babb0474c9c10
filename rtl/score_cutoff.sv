// SPDX-License-Identifier: Apache-2.0
// Warps that may load by their lost-locality scores: the scores are sorted, the highest first and at one score the
// lowest warp, and summed in this order; warps below the cutoff may load. Combinational: a sorting network (Batcher's
// odd-even merges, 191 comparators in 15 stages for 32 warps), a prefix adder with comparators, and a comparator per
// warp. Numbers are stored in planes, plane b holding bit b of every warp or lane.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.3.4 and 8. Model: admit_below_cutoff() in
// models/sm/scheduling/locality/score_cutoff.h.
`default_nettype none

module score_cutoff #(
    parameter int WARPS = 32,  // a power of two, 2 .. 64
    parameter int SCORE_BITS = 10,
    localparam int LEVELS = $clog2(WARPS),
    localparam int SUM_BITS = SCORE_BITS + LEVELS
) (
    input  wire logic [           WARPS-1:0] active,     // warps with threads
    input  wire logic [SCORE_BITS*WARPS-1:0] scores,
    input  wire logic [        SUM_BITS-1:0] cutoff,
    input  wire logic                        inclusive,  // all of a warp's score has to lie below the cutoff, else its start
    output logic      [           WARPS-1:0] admitted
);
  // Keys are all different: the score, then the number of the warp, inverted.
  localparam int KeyBits = SCORE_BITS + LEVELS;
  logic [KeyBits*WARPS-1:0] keys;
  for (genvar b = 0; b < LEVELS; b++) begin : g_number
    // Warps whose number has bit b.
    localparam int Size = 1 << b;
    localparam logic [WARPS-1:0] Numbers = {WARPS / (2 * Size) {{Size{1'b1}}, {Size{1'b0}}}};
    assign keys[b*WARPS+:WARPS] = ~Numbers;
  end
  // Warps that are not active come last, since they add nothing.
  assign keys[LEVELS*WARPS+:SCORE_BITS*WARPS] = scores & {SCORE_BITS{active}};

  // Merge m makes sorted groups of 2 << m lanes of two each, in steps of 1 << m lanes and then half as many each.
  localparam int Stages = LEVELS * (LEVELS + 1) / 2;
  // Constant functions run at elaboration.
  // verilator coverage_off
  function automatic int merge_of(input int stage);
    merge_of = 0;
    for (int m = 1; m < LEVELS; m++) if (m * (m + 1) / 2 <= stage) merge_of = m;
  endfunction
  // Lanes that are compared with the one `step` above them: of the first step the lower half of each group, of the others
  // every second run of `step` lanes but the last one of a group.
  function automatic logic [WARPS-1:0] lower(input int half, input int step);
    lower = '0;
    for (int i = 0; i + step < WARPS; i++)
      lower[i] = (i / step % 2 == 1) == (step != half) && i / (2 * half) == (i + step) / (2 * half);
  endfunction
  // verilator coverage_on

  for (genvar s = 0; s < Stages; s++) begin : g_stage
    localparam int Merge = merge_of(s);
    localparam int Step = 1 << (Merge - (s - Merge * (Merge + 1) / 2));
    localparam logic [WARPS-1:0] Lower = lower(1 << Merge, Step);
    logic [KeyBits*WARPS-1:0] unsorted, sorted;
    if (s == 0) begin : g_first
      assign unsorted = keys;
    end else begin : g_next
      assign unsorted = g_stage[s-1].sorted;
    end
    // From the highest bit down. Each bit is exchanged as soon as those above it have decided, so that the next stage
    // need not wait for the lowest one.
    logic [WARPS-1:0] here, differs, above, open, swapped, moved;
    always_comb begin
      open = Lower;
      swapped = '0;
      for (int b = KeyBits - 1; b >= 0; b--) begin
        here = unsorted[b*WARPS+:WARPS];
        above = here >> Step;
        differs = here ^ above;
        moved = differs & (swapped | (open & above));
        sorted[b*WARPS+:WARPS] = here ^ moved ^ (moved << Step);
        swapped = swapped | (open & differs & above);
        open = open & ~differs;
      end
    end
  end

  logic [KeyBits*WARPS-1:0] sorted;
  logic [WARPS-1:0] below;
  assign sorted = g_stage[Stages-1].sorted;
  prefix_cutoff #(.LANES(WARPS), .VALUE_BITS(SCORE_BITS)) u_cutoff (
      .values(sorted[LEVELS*WARPS+:SCORE_BITS*WARPS]),
      .cutoff,
      .inclusive,
      .below
  );

  // Admitted are the warps whose keys are not below the last one below the cutoff.
  logic [WARPS-1:0] last, admits;
  logic lowest;
  assign last = below & ~(below >> 1);
  always_comb begin
    admits = '1;
    for (int b = 0; b < KeyBits; b++) begin
      lowest = |(sorted[b*WARPS+:WARPS] & last);
      admits = lowest ? keys[b*WARPS+:WARPS] & admits : keys[b*WARPS+:WARPS] | admits;
    end
  end
  assign admitted = active & admits & {WARPS{below[0]}};
endmodule

`default_nettype wire
