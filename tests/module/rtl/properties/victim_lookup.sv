// SPDX-License-Identifier: Apache-2.0
// What the outputs of victim_lookup must be, as assertions for every state of a set; together they leave no other
// answer. A second look-up sees the set that the first one leaves.
`default_nettype none

module victim_lookup_properties #(
    parameter int WAYS = 4,
    parameter int TAG_BITS = 4,
    parameter int LRU = 0,
    localparam int WAY_BITS = WAYS > 1 ? $clog2(WAYS) : 1,
    localparam int ORDER_BITS = LRU != 0 ? WAYS * WAY_BITS : WAY_BITS
) (
    input wire logic                     insert,
    input wire logic                     remove,
    input wire logic [     TAG_BITS-1:0] tag,
    input wire logic [WAYS*TAG_BITS-1:0] tags,
    input wire logic [         WAYS-1:0] valid,
    input wire logic [   ORDER_BITS-1:0] order,
    input wire logic [     TAG_BITS-1:0] probed
);
  logic found;
  logic [WAY_BITS-1:0] way;
  logic [WAYS-1:0] next_valid;
  logic [ORDER_BITS-1:0] next_order;
  victim_lookup #(
      .WAYS(WAYS),
      .TAG_BITS(TAG_BITS),
      .LRU(LRU)
  ) lookup (
      .*
  );

  logic [WAYS*TAG_BITS-1:0] next_tags;
  for (genvar w = 0; w < WAYS; w++) begin : g_way
    assign next_tags[w*TAG_BITS+:TAG_BITS] = insert && way == w ? tag : tags[w*TAG_BITS+:TAG_BITS];
  end
  logic found_then;
  logic [WAY_BITS-1:0] way_then;
  logic [WAYS-1:0] valid_then;
  logic [ORDER_BITS-1:0] order_then;
  victim_lookup #(
      .WAYS(WAYS),
      .TAG_BITS(TAG_BITS),
      .LRU(LRU)
  ) probe (
      .insert(1'b0),
      .remove(1'b0),
      .tag(probed),
      .tags(next_tags),
      .valid(next_valid),
      .order(next_order),
      .found(found_then),
      .way(way_then),
      .next_valid(valid_then),
      .next_order(order_then)
  );

  // Ways with the tag, and with the other one that is probed then.
  logic [WAYS-1:0] match, match_probed;
  always_comb begin
    for (int w = 0; w < WAYS; w++) begin
      match[w] = valid[w] && tags[w*TAG_BITS+:TAG_BITS] == tag;
      match_probed[w] = valid[w] && tags[w*TAG_BITS+:TAG_BITS] == probed;
    end
    assume (!insert || !remove);
    // A tag is in one way only; this stays so.
    for (int a = 0; a < WAYS; a++) begin
      for (int b = 0; b < a; b++) begin
        assume (!valid[a] || !valid[b] || tags[a*TAG_BITS+:TAG_BITS] != tags[b*TAG_BITS+:TAG_BITS]);
        assert (!next_valid[a] || !next_valid[b] || next_tags[a*TAG_BITS+:TAG_BITS] != next_tags[b*TAG_BITS+:TAG_BITS]);
      end
    end

    assert (found == |match);
    assert (found ? match[way] : insert || way == 0);
    assert (way < WAYS);
    if (insert && !found) begin
      assert (next_valid == (valid | WAYS'(1) << way));
      assert (!valid[way] || &valid);
      for (int w = 0; w < WAYS; w++) assert (&valid || w >= way || valid[w]);
    end else begin
      assert (next_valid == (remove ? valid & ~match : valid));
    end
    // A tag that was inserted is found, one that was removed is not, and of the others only one may go.
    if (probed == tag) begin
      assert (found_then == (insert || (found && !remove)));
      assert (!found_then || way_then == way);
    end else begin
      assert (found_then == (|match_probed && !(insert && !found && match_probed[way])));
    end
  end

  if (LRU != 0) begin : g_lru
    // The way in each place, before and afterwards.
    logic [WAYS*WAY_BITS-1:0] old, now;
    for (genvar p = 0; p < WAYS; p++) begin : g_place
      assign old[p*WAY_BITS+:WAY_BITS] = order[p*WAY_BITS+:WAY_BITS] ^ WAY_BITS'(p);
      assign now[p*WAY_BITS+:WAY_BITS] = next_order[p*WAY_BITS+:WAY_BITS] ^ WAY_BITS'(p);
    end
    logic uses;
    assign uses = insert | (found & ~remove);
    always_comb begin
      for (int p = 0; p < WAYS; p++) begin
        assume (old[p*WAY_BITS+:WAY_BITS] < WAYS);
        for (int q = 0; q < p; q++) assume (old[p*WAY_BITS+:WAY_BITS] != old[q*WAY_BITS+:WAY_BITS]);
      end
      assert (!insert || found || !(&valid) || way == old[(WAYS-1)*WAY_BITS+:WAY_BITS]);
      assert (uses || next_order == order);
      assert (!uses || now[0+:WAY_BITS] == way);
      // Of two other ways, the one that came first still does.
      for (int p = 0; p < WAYS; p++) begin
        assert (now[p*WAY_BITS+:WAY_BITS] < WAYS);
        for (int q = 0; q < p; q++) begin
          assert (now[p*WAY_BITS+:WAY_BITS] != now[q*WAY_BITS+:WAY_BITS]);
          for (int r = 0; r < WAYS; r++) begin
            for (int s = 0; s < r; s++)
              assert (!uses || q == 0 || now[q*WAY_BITS+:WAY_BITS] != old[r*WAY_BITS+:WAY_BITS] ||
                  now[p*WAY_BITS+:WAY_BITS] != old[s*WAY_BITS+:WAY_BITS]);
          end
        end
      end
    end
  end else begin : g_fifo
    always_comb begin
      assume (order < WAYS);
      assert (!insert || found || !(&valid) || way == order);
      assert (next_order == (insert && !found && way == order ? (order == WAYS - 1 ? 0 : order + 1'b1) : order));
    end
  end
endmodule

`default_nettype wire
