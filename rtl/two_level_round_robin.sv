// SPDX-License-Identifier: Apache-2.0
// Two-level round-robin arbiter with a rotating head group. Consecutive contexts form fetch groups. Groups have
// priority in cyclic order from the head on; the contexts of a group take turns. The head moves on when all of its
// contexts are stalled, or after it has issued `timeout` instructions. Contexts and groups are one-hot words.
// Source: docs/sources/large-warps-and-database-search.md, 2.6 and 8.
// Model: models/sm/scheduling/two_level_rotating.cpp.
`default_nettype none

module two_level_round_robin #(
    parameter int CONTEXTS = 32,
    parameter int GROUP_SIZE = 8,  // contexts per group; divides CONTEXTS
    parameter int COUNT_BITS = 32,
    localparam int GROUPS = CONTEXTS / GROUP_SIZE
) (
    input  wire logic                  clock,
    input  wire logic                  reset,       // synchronous
    input  wire logic [COUNT_BITS-1:0] timeout,     // 0: never
    input  wire logic [  CONTEXTS-1:0] running,     // live contexts not waiting for memory or at a barrier
    input  wire logic [  CONTEXTS-1:0] candidates,  // contexts that can issue
    input  wire logic [  CONTEXTS-1:0] issued,      // the context that issues; 0: none
    output logic      [  CONTEXTS-1:0] grant,       // the chosen candidate; 0: none
    output logic      [    GROUPS-1:0] head         // group of highest priority in this cycle
);
  logic [GROUPS-1:0] head_before;      // head in the previous cycle
  logic [CONTEXTS-1:0] behind_last;      // contexts above the one that issued last in their group
  logic [COUNT_BITS-1:0] head_issued;  // instructions of the head since it moved
  logic moved;                         // the head has already moved once while all groups are stalled

  function automatic logic [GROUPS-1:0] next_group(input logic [GROUPS-1:0] group);
    next_group = (group << 1) | (group >> (GROUPS - 1));
  endfunction
  // The first of `groups` in cyclic order, starting at `from`.
  function automatic logic [GROUPS-1:0] first_from(input logic [GROUPS-1:0] groups, input logic [GROUPS-1:0] from);
    logic [GROUPS-1:0] behind;
    behind = groups & ~(from - 1'b1);
    first_from = |behind ? behind & -behind : groups & -groups;
  endfunction

  // The head of this cycle.
  logic [GROUPS-1:0] runs, ready, issues;
  for (genvar g = 0; g < GROUPS; g++) begin : g_groups
    assign runs[g]   = |running[g*GROUP_SIZE+:GROUP_SIZE];
    assign ready[g]  = |candidates[g*GROUP_SIZE+:GROUP_SIZE];
    assign issues[g] = |issued[g*GROUP_SIZE+:GROUP_SIZE];
  end

  logic move;
  always_comb begin
    if (|runs) begin
      head = first_from(runs, head_before);
      move = head != head_before;
    end else begin
      head = moved ? head_before : next_group(head_before);
      move = ~moved;
    end
  end

  // The first ready group, starting at the head; in it, the next candidate after the context that issued last.
  logic [GROUPS-1:0] chosen;
  assign chosen = first_from(ready, head);
  for (genvar g = 0; g < GROUPS; g++) begin : g_turn
    logic [GROUP_SIZE-1:0] all, behind;
    assign all = candidates[g*GROUP_SIZE+:GROUP_SIZE];
    assign behind = all & behind_last[g*GROUP_SIZE+:GROUP_SIZE];
    assign grant[g*GROUP_SIZE+:GROUP_SIZE] = (|behind ? behind & -behind : all & -all) & {GROUP_SIZE{chosen[g]}};
  end

  logic [COUNT_BITS-1:0] counted;
  logic expired;
  assign counted = (move ? '0 : head_issued) + COUNT_BITS'(|(issues & head));
  assign expired = timeout != 0 & |(issues & head) & counted >= timeout;

  always_ff @(posedge clock) begin
    if (reset) begin
      head_before <= GROUPS'(1);
      head_issued <= '0;
      moved       <= 1'b0;
    end else begin
      head_before <= expired ? next_group(head) : head;
      head_issued <= expired ? '0 : counted;
      moved       <= ~|runs;
    end
  end

  for (genvar g = 0; g < GROUPS; g++) begin : g_last
    logic [GROUP_SIZE-1:0] last;
    assign last = issued[g*GROUP_SIZE+:GROUP_SIZE];
    always_ff @(posedge clock) begin
      if (reset) behind_last[g*GROUP_SIZE+:GROUP_SIZE] <= '0;
      else if (issues[g]) behind_last[g*GROUP_SIZE+:GROUP_SIZE] <= ~(last | (last - 1'b1));
    end
  end
endmodule

`default_nettype wire
