// SPDX-License-Identifier: Apache-2.0
// Gang table as the gang issue scheduler reads it: members of the gangs, ages of the sets, and the gangs that issued
// last. gang_select chooses the gangs that issue.
// Source: docs/sources/variable-warp-size.md, 2.5, 2.8, 3.2 and 8. Model: GangIssueLogic in
// models/sm/grouping/ganging/gang_issue_table.h.
`default_nettype none

module gang_table #(
    parameter int SETS = 32,  // original gangs, 2 or more
    parameter int SLICES = 8,  // 2 or more
    parameter int GANGS = 2,  // that issue per cycle at most
    parameter int KIND_BITS = 4,
    localparam int WAYS = 4,
    localparam int ENTRIES = SETS * WAYS,  // entry e is in set e / WAYS
    localparam int SET_BITS = $clog2(SETS),
    localparam int ENTRY_BITS = $clog2(ENTRIES),
    localparam int SIZE_BITS = $clog2(SLICES)
) (
    input  wire logic                         clock,
    input  wire logic                         reset,          // synchronous
    input  wire logic                         write,          // an entry gets other members
    input  wire logic [       ENTRY_BITS-1:0] write_entry,
    input  wire logic [           SLICES-1:0] write_members,  // 0: the entry is free
    input  wire logic                         start,          // a block starts in a set, which becomes the youngest
    input  wire logic [         SET_BITS-1:0] start_set,
    input  wire logic [          ENTRIES-1:0] ready,          // entries of gangs whose members can all issue
    input  wire logic [           SLICES-1:0] free,           // slices that gangs may use
    // Kinds of memory access, 0: none. In planes: bit b of every entry in bits ENTRIES * b on.
    input  wire logic [KIND_BITS*ENTRIES-1:0] kinds,
    input  wire logic                         issue,          // the gangs picked issue
    output logic      [            GANGS-1:0] valid,          // gang g is picked, and so are those before it
    output logic      [ GANGS*ENTRY_BITS-1:0] entries,        // picked, in order of choice; 0 where not valid
    output logic      [   SLICES*ENTRIES-1:0] members         // of every entry, in planes
);
  logic [SIZE_BITS*ENTRIES-1:0] sizes;  // of members, less one; counted when they are written
  logic [SETS*SETS-1:0] older;  // bit SETS * s + t: set t is older than set s
  logic [SLICES-1:0] last_valid;  // by size, less one: `last` holds a gang of this size that issued
  logic [SLICES*ENTRY_BITS-1:0] last;
  logic [GANGS*SIZE_BITS-1:0] picked;
  gang_select #(
      .SETS(SETS),
      .SLICES(SLICES),
      .GANGS(GANGS),
      .KIND_BITS(KIND_BITS)
  ) select (
      .*
  );

  // Members and their number.
  logic [ENTRIES-1:0] line;
  assign line = ENTRIES'(write) << write_entry;
  logic [SIZE_BITS-1:0] write_size;
  always_comb begin
    write_size = '1;
    for (int s = 0; s < SLICES; s++) write_size = write_size + SIZE_BITS'(write_members[s]);
  end
  for (genvar s = 0; s < SLICES; s++) begin : g_members
    always_ff @(posedge clock) begin
      if (reset) members[s*ENTRIES+:ENTRIES] <= '0;
      else members[s*ENTRIES+:ENTRIES] <= (members[s*ENTRIES+:ENTRIES] & ~line) | (line & {ENTRIES{write_members[s]}});
    end
  end
  for (genvar b = 0; b < SIZE_BITS; b++) begin : g_size
    always_ff @(posedge clock) begin
      if (reset) sizes[b*ENTRIES+:ENTRIES] <= '0;
      else sizes[b*ENTRIES+:ENTRIES] <= (sizes[b*ENTRIES+:ENTRIES] & ~line) | (line & {ENTRIES{write_size[b]}});
    end
  end

  // Ages: after reset, lower sets are older.
  logic [SETS-1:0] youngest;
  assign youngest = SETS'(start) << start_set;
  for (genvar s = 0; s < SETS; s++) begin : g_age
    always_ff @(posedge clock) begin
      if (reset) older[s*SETS+:SETS] <= (SETS'(1) << s) - 1'b1;
      else older[s*SETS+:SETS] <= (older[s*SETS+:SETS] | {SETS{youngest[s]}}) & ~youngest;
    end
  end

  // The gang that issued last of each size: of several in a cycle, the first one picked. Not one that is freed.
  logic frees;
  assign frees = write & write_members == 0;
  for (genvar n = 0; n < SLICES; n++) begin : g_last
    logic issues;
    logic [ENTRY_BITS-1:0] now;
    always_comb begin
      issues = 1'b0;
      now = last[n*ENTRY_BITS+:ENTRY_BITS];
      for (int g = GANGS - 1; g >= 0; g--) begin
        if (issue && valid[g] && picked[g*SIZE_BITS+:SIZE_BITS] == SIZE_BITS'(n)) begin
          issues = 1'b1;
          now = entries[g*ENTRY_BITS+:ENTRY_BITS];
        end
      end
    end
    always_ff @(posedge clock) begin
      if (reset) last_valid[n] <= 1'b0;
      else last_valid[n] <= (last_valid[n] | issues) & ~(frees & now == write_entry);
      if (reset) last[n*ENTRY_BITS+:ENTRY_BITS] <= '0;
      else last[n*ENTRY_BITS+:ENTRY_BITS] <= now;
    end
  end
endmodule

`default_nettype wire
