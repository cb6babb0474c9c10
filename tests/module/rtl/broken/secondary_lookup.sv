// SPDX-License-Identifier: Apache-2.0
// Broken on purpose, for the lockstep tests: a copy of rtl/secondary_lookup.sv in which the higher way wins ties.
`default_nettype none

module secondary_lookup #(
    parameter int WAYS = 16,
    parameter int LANES = 64,  // a power of two
    localparam int WAY_BITS = $clog2(WAYS),
    localparam int LEVELS = $clog2(LANES)
) (
    input  wire logic [      WAYS-1:0] ready,
    input  wire logic [      WAYS-1:0] same_unit,  // needs the unit of the primary instruction
    input  wire logic [     LANES-1:0] free,       // lanes without the primary instruction
    input  wire logic [  WAY_BITS-1:0] first,      // the way that wins ties, then the ways behind it in cyclic order
    input  wire logic [WAYS*LANES-1:0] lanes,      // way w in bits LANES * w on
    output logic      [      WAYS-1:0] hits,       // ready, and on another unit or on free lanes only
    output logic      [  WAY_BITS-1:0] best,       // of the hits, the one with most lanes; 0 without hits
    output logic                       any         // there is a hit
);
  // Ways not passed yet when starting at `first`.
  logic [WAYS-1:0] ahead;
  assign ahead = {WAYS{1'b1}} << first;

  // What decides between ways, most significant first: a hit, its lanes, the order.
  localparam int KeyBits = 1 + LEVELS + 1 + 1;
  logic [WAYS*KeyBits-1:0] keys;
  for (genvar w = 0; w < WAYS; w++) begin : g_way
    assign hits[w] = ready[w] & ~(same_unit[w] & |(lanes[w*LANES+:LANES] & ~free));

    // Sums of neighbours: fields of 2, then 4, then 8 lanes.
    for (genvar l = 0; l < LEVELS; l++) begin : g_level
      localparam int Size = 1 << l;
      localparam int Bits = 2 * Size == LANES ? LEVELS + 1 : LANES;
      localparam logic [LANES-1:0] Low = {LANES / (2 * Size) {{Size{1'b0}}, {Size{1'b1}}}};
      logic [LANES-1:0] parts;
      logic [ Bits-1:0] sums;
      if (l == 0) begin : g_first
        assign parts = lanes[w*LANES+:LANES];
      end else begin : g_next
        assign parts = g_way[w].g_level[l-1].sums;
      end
      assign sums = Bits'((parts & Low) + ((parts >> Size) & Low));
    end
    assign keys[w*KeyBits+:KeyBits] = {hits[w], g_level[LEVELS-1].sums, ahead[w]};
  end

  // Of two equal keys the lower way wins.
  logic [WAYS*KeyBits-1:0] winners;
  logic [WAYS*WAY_BITS-1:0] ways;
  always_comb begin
    winners = keys;
    for (int w = 0; w < WAYS; w++) ways[w*WAY_BITS+:WAY_BITS] = WAY_BITS'(w);
    for (int size = 1; size < WAYS; size = size * 2) begin
      for (int w = 0; w + size < WAYS; w = w + 2 * size) begin
        if (winners[(w+size)*KeyBits+:KeyBits] >= winners[w*KeyBits+:KeyBits]) begin
          winners[w*KeyBits+:KeyBits] = winners[(w+size)*KeyBits+:KeyBits];
          ways[w*WAY_BITS+:WAY_BITS] = ways[(w+size)*WAY_BITS+:WAY_BITS];
        end
      end
    end
  end
  assign any  = |hits;
  assign best = ways[0+:WAY_BITS] & {WAY_BITS{any}};
endmodule

`default_nettype wire
