// SPDX-License-Identifier: Apache-2.0
// What the outputs of secondary_lookup must be, as assertions for every input; together they leave no other answer.
`default_nettype none

module secondary_lookup_properties #(
    parameter int WAYS = 4,
    parameter int LANES = 8,
    localparam int WAY_BITS = $clog2(WAYS),
    localparam int COUNT_BITS = $clog2(LANES) + 1
) (
    input wire logic [      WAYS-1:0] ready,
    input wire logic [      WAYS-1:0] same_unit,
    input wire logic [     LANES-1:0] free,
    input wire logic [  WAY_BITS-1:0] first,
    input wire logic [WAYS*LANES-1:0] lanes
);
  logic [WAYS-1:0] hits;
  logic [WAY_BITS-1:0] best;
  logic any;
  secondary_lookup #(
      .WAYS(WAYS),
      .LANES(LANES)
  ) lookup (
      .*
  );

  // Lanes of each way, counted one by one; steps from `first` to each way.
  logic [WAYS*COUNT_BITS-1:0] counts;
  logic [WAYS*WAY_BITS-1:0] steps;
  always_comb begin
    counts = '0;
    for (int w = 0; w < WAYS; w++) begin
      for (int i = 0; i < LANES; i++)
        counts[w*COUNT_BITS+:COUNT_BITS] = counts[w*COUNT_BITS+:COUNT_BITS] + COUNT_BITS'(lanes[w*LANES+i]);
      steps[w*WAY_BITS+:WAY_BITS] = w >= first ? WAY_BITS'(w - first) : WAY_BITS'(w + WAYS - first);
    end

    assume (first < WAYS);
    assert (any == |hits);
    assert (any ? hits[best] : best == 0);
    for (int w = 0; w < WAYS; w++) begin
      assert (hits[w] == (ready[w] && (!same_unit[w] || (lanes[w*LANES+:LANES] & ~free) == 0)));
      // No other hit has more lanes, or as many and comes earlier.
      assert (!hits[w] || counts[w*COUNT_BITS+:COUNT_BITS] < counts[best*COUNT_BITS+:COUNT_BITS] ||
          (counts[w*COUNT_BITS+:COUNT_BITS] == counts[best*COUNT_BITS+:COUNT_BITS] &&
           steps[w*WAY_BITS+:WAY_BITS] >= steps[best*WAY_BITS+:WAY_BITS]));
    end
  end
endmodule

`default_nettype wire
