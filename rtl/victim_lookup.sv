// SPDX-License-Identifier: Apache-2.0
// One set of a warp's victim tags: look-up, insertion and removal of a tag. The state of the set comes in and goes out,
// so one block serves all sets. A match line per way, then the way to write. Combinational.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.3.3 and 8. Model: look_up_victim() in
// models/sm/scheduling/locality/victim_set.h.
`default_nettype none

module victim_lookup #(
    parameter int WAYS = 8,
    parameter int TAG_BITS = 40,
    parameter int LRU = 0,  // 1: a full set replaces the tag used least recently, not the one inserted first
    localparam int WAY_BITS = WAYS > 1 ? $clog2(WAYS) : 1,
    localparam int ORDER_BITS = LRU != 0 ? WAYS * WAY_BITS : WAY_BITS
) (
    input  wire logic                     insert,      // write the tag; neither this nor remove: only look it up
    input  wire logic                     remove,      // free its way; not with insert
    input  wire logic [     TAG_BITS-1:0] tag,
    input  wire logic [WAYS*TAG_BITS-1:0] tags,        // of way w in bits TAG_BITS * w on
    input  wire logic [         WAYS-1:0] valid,       // ways that hold a tag
    // First in, first out: the way replaced next. Least recently used: a field per place, the most recent use first;
    // in place p, way w is w ^ p, so that zeros are an order.
    input  wire logic [   ORDER_BITS-1:0] order,
    output logic                          found,       // the tag was there
    output logic      [     WAY_BITS-1:0] way,         // where it was or is inserted; 0: neither
    output logic      [         WAYS-1:0] next_valid,
    output logic      [   ORDER_BITS-1:0] next_order
);
  logic [WAYS-1:0] match;
  for (genvar w = 0; w < WAYS; w++) begin : g_match
    assign match[w] = valid[w] & (tags[w*TAG_BITS+:TAG_BITS] == tag);
  end
  assign found = |match;

  // The way that is used: the one that matches, or for an insertion the lowest free one, or the one that is replaced.
  logic [WAYS-1:0] used, replaced;
  assign used = found ? match & -match : insert ? (&valid ? replaced : ~valid & (valid + 1'b1)) : '0;
  always_comb begin
    way = '0;
    for (int w = 0; w < WAYS; w++) way = way | (WAY_BITS'(w) & {WAY_BITS{used[w]}});
  end
  assign next_valid = remove ? valid & ~used : valid | used;

  if (LRU != 0) begin : g_lru
    // The way used moves to the first place, and those before it move by one.
    logic passed;  // the way used was in a place before
    logic [WAY_BITS-1:0] old, before_it;
    always_comb begin
      passed = ~|used | remove;
      before_it = way;
      for (int p = 0; p < WAYS; p++) begin
        old = order[p*WAY_BITS+:WAY_BITS] ^ WAY_BITS'(p);
        next_order[p*WAY_BITS+:WAY_BITS] = (passed ? old : before_it) ^ WAY_BITS'(p);
        passed = passed | old == way;
        before_it = old;
      end
    end
    assign replaced = WAYS'(1) << (order[(WAYS-1)*WAY_BITS+:WAY_BITS] ^ WAY_BITS'(WAYS - 1));
  end else begin : g_fifo
    logic last;
    assign last = order == WAY_BITS'(WAYS - 1);
    assign replaced = WAYS'(1) << order;
    assign next_order = insert & ~found & |(used & replaced) ? (last ? '0 : order + 1'b1) : order;
  end
endmodule

`default_nettype wire
