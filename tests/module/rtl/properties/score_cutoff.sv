// SPDX-License-Identifier: Apache-2.0
// What the output of score_cutoff must be, as assertions for every input; together they leave no other answer.
`default_nettype none

module score_cutoff_properties #(
    parameter int WARPS = 4,
    parameter int SCORE_BITS = 3,
    localparam int SUM_BITS = SCORE_BITS + $clog2(WARPS)
) (
    input wire logic [           WARPS-1:0] active,
    input wire logic [SCORE_BITS*WARPS-1:0] scores,
    input wire logic [        SUM_BITS-1:0] cutoff,
    input wire logic                        inclusive,
    input wire logic [      SCORE_BITS-1:0] base
);
  logic [WARPS-1:0] admitted;
  score_cutoff #(
      .WARPS(WARPS),
      .SCORE_BITS(SCORE_BITS)
  ) test (
      .*
  );

  // By warp, not in planes; 0 if it is not active.
  logic [WARPS*SUM_BITS-1:0] values;
  for (genvar w = 0; w < WARPS; w++) begin : g_warp
    for (genvar b = 0; b < SUM_BITS; b++) begin : g_bit
      if (b < SCORE_BITS) begin : g_score
        assign values[w*SUM_BITS+b] = scores[b*WARPS+w] & active[w];
      end else begin : g_zero
        assign values[w*SUM_BITS+b] = 1'b0;
      end
    end
  end

  // Bit WARPS * a + b: warp a comes before warp b.
  logic [WARPS*WARPS-1:0] precedes;
  for (genvar a = 0; a < WARPS; a++) begin : g_order
    for (genvar b = 0; b < WARPS; b++) begin : g_other
      assign precedes[a*WARPS+b] = values[a*SUM_BITS+:SUM_BITS] > values[b*SUM_BITS+:SUM_BITS] ||
          (values[a*SUM_BITS+:SUM_BITS] == values[b*SUM_BITS+:SUM_BITS] && a < b);
    end
  end

  logic [SUM_BITS-1:0] start, bases;
  logic all_at_base;
  always_comb begin
    for (int w = 0; w < WARPS; w++) begin
      start = '0;
      for (int v = 0; v < WARPS; v++) start = start + (values[v*SUM_BITS+:SUM_BITS] & {SUM_BITS{precedes[v*WARPS+w]}});
      assert (admitted[w] == (active[w] &&
          (inclusive ? start + values[w*SUM_BITS+:SUM_BITS] <= cutoff : start < cutoff)));
      // The first ones in the order are admitted.
      for (int v = 0; v < WARPS; v++) assert (!admitted[w] || !active[v] || !precedes[v*WARPS+w] || admitted[v]);
    end
    // The warp that crosses the cutoff is admitted, so there is one.
    assert (inclusive || cutoff == 0 || active == 0 || admitted != 0);
    // All at the base score: all of them.
    bases = '0;
    all_at_base = base != 0;
    for (int w = 0; w < WARPS; w++) begin
      bases = bases + (SUM_BITS'(base) & {SUM_BITS{active[w]}});
      all_at_base = all_at_base && (!active[w] || values[w*SUM_BITS+:SUM_BITS] == SUM_BITS'(base));
    end
    assert (!all_at_base || cutoff != bases || admitted == active);
  end
endmodule

`default_nettype wire
