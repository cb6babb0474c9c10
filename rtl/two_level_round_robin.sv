// SPDX-License-Identifier: Apache-2.0
// Who issues, by two levels of round robin with a rotating head: consecutive contexts form groups; groups have priority
// from the head on, contexts of one group take turns. The head moves on when all of its contexts are stalled, or after
// as many instructions of the head as `timeout` says. Contexts, groups and the head are one-hot words.
// Source: spec/large-warps-and-database-search.md, 2.6 and 8. Model: models/sm/scheduling/two_level_rotating.cpp.
`default_nettype none

module two_level_round_robin #(
    parameter int CONTEXTS = 32,
    parameter int GROUP_SIZE = 8,  // contexts of a group; divides CONTEXTS
    parameter int COUNT_BITS = 32,
    localparam int GROUPS = CONTEXTS / GROUP_SIZE
) (
    input  wire logic                  clock,
    input  wire logic                  reset,       // synchronous
    input  wire logic [COUNT_BITS-1:0] timeout,     // 0: never
    input  wire logic [  CONTEXTS-1:0] running,     // live contexts that wait for no memory and at no barrier
    input  wire logic [  CONTEXTS-1:0] candidates,  // contexts that can issue
    input  wire logic [  CONTEXTS-1:0] issued,      // the context that does; 0: none
    output logic      [  CONTEXTS-1:0] grant,       // the best candidate; 0: there is none
    output logic      [    GROUPS-1:0] head         // the group of highest priority in this cycle
);
  logic [GROUPS-1:0] head_before;      // of the last cycle
  logic [CONTEXTS-1:0] behind_last;      // contexts behind the one of their group that issued last
  logic [COUNT_BITS-1:0] head_issued;  // instructions since the head moved
  logic moved;                         // the head has moved once since all groups are stalled

  function automatic logic [GROUPS-1:0] next_group(input logic [GROUPS-1:0] group);
    next_group = (group << 1) | (group >> (GROUPS - 1));
  endfunction
  // The first of some groups from `from` on, in cyclic order.
  function automatic logic [GROUPS-1:0] first_from(input logic [GROUPS-1:0] groups, input logic [GROUPS-1:0] from);
    logic [GROUPS-1:0] behind;
    behind = groups & ~(from - 1'b1);
    first_from = |behind ? behind & -behind : groups & -groups;
  endfunction

  // Where the head is in this cycle.
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

  // The first ready group from the head on; in it, the first candidate behind the last that issued.
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
