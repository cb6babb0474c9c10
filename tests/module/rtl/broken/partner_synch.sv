// SPDX-License-Identifier: Apache-2.0
// Broken on purpose, for the lockstep tests: a copy of rtl/partner_synch.sv that keeps the program counter of the last
// sub-warp that arrived.
`default_nettype none

module partner_synch #(
    parameter int GROUPS = 16,  // 2 or more
    parameter int PARTNERS = 8,  // sub-warps of a group, 2 or more
    parameter int PC_BITS = 32,
    localparam int GROUP_BITS = $clog2(GROUPS),
    localparam int PARTNER_BITS = $clog2(PARTNERS)
) (
    input  wire logic                    clock,
    input  wire logic                    reset,     // synchronous
    input  wire logic                    update,    // the entry takes its next state
    input  wire logic [  GROUP_BITS-1:0] group,
    input  wire logic                    arrives,   // a sub-warp arrives at its barrier; if not: its partners have changed
    input  wire logic [PARTNER_BITS-1:0] partner,   // that arrives
    input  wire logic [     PC_BITS-1:0] pc,        // of its barrier
    input  wire logic [    PARTNERS-1:0] others,    // partners that cannot arrive: absent, exited, or waiting elsewhere
    output logic                         mismatch,  // it arrives at another program counter than the first one
    output logic                         releases,  // the locked partners go on, and the entry is free
    output logic      [    PARTNERS-1:0] locked,    // with the arriving one
    output logic      [     PC_BITS-1:0] first_pc   // of the first one that arrived; 0: none
);
  logic [GROUPS-1:0] valid;
  logic [GROUPS*PC_BITS-1:0] pcs;
  logic [GROUPS*PARTNERS-1:0] locks;

  // The entry of the group.
  logic [GROUPS-1:0] line;
  assign line = GROUPS'(1) << group;
  logic taken;
  logic [PC_BITS-1:0] kept_pc;
  logic [PARTNERS-1:0] kept_lock;
  assign taken = |(valid & line);
  always_comb begin
    kept_pc   = '0;
    kept_lock = '0;
    for (int g = 0; g < GROUPS; g++) begin
      kept_pc   = kept_pc | (pcs[g*PC_BITS+:PC_BITS] & {PC_BITS{line[g] & valid[g]}});
      kept_lock = kept_lock | (locks[g*PARTNERS+:PARTNERS] & {PARTNERS{line[g]}});
    end
  end

  assign first_pc = arrives ? pc : kept_pc;
  assign mismatch = arrives & taken & kept_pc != pc;
  assign locked = kept_lock | PARTNERS'(arrives) << partner;
  assign releases = |locked & &(locked | others);

  logic [PARTNERS-1:0] next_lock;
  assign next_lock = locked & ~{PARTNERS{releases}};
  for (genvar g = 0; g < GROUPS; g++) begin : g_entry
    always_ff @(posedge clock) begin
      if (reset) begin
        valid[g] <= 1'b0;
        pcs[g*PC_BITS+:PC_BITS] <= '0;
        locks[g*PARTNERS+:PARTNERS] <= '0;
      end else if (update & line[g]) begin
        valid[g] <= |next_lock;
        pcs[g*PC_BITS+:PC_BITS] <= first_pc;
        locks[g*PARTNERS+:PARTNERS] <= next_lock;
      end
    end
  end
endmodule

`default_nettype wire
