// SPDX-License-Identifier: Apache-2.0
// Broken on purpose, for the lockstep tests: a copy of rtl/mask_merge.sv that merges partner 3 at any program counter.
`default_nettype none

module mask_merge #(
    parameter int PARTNERS = 8,  // sub-warps of a group, 2 or more
    parameter int THREADS = 8,  // of a sub-warp
    parameter int PC_BITS = 32,
    localparam int PARTNER_BITS = $clog2(PARTNERS),
    localparam int SIZE_BITS = $clog2(PARTNERS + 1)
) (
    input  wire logic [    PARTNER_BITS-1:0] selected,  // picked by the scheduler
    input  wire logic [        PARTNERS-1:0] ready,     // to be combined
    input  wire logic [PARTNERS*PC_BITS-1:0] pcs,       // partner p in bits PC_BITS * p on
    input  wire logic [PARTNERS*THREADS-1:0] active,    // threads of partner p in bits THREADS * p on
    output logic      [        PARTNERS-1:0] members,   // of the large warp
    output logic      [PARTNERS*THREADS-1:0] mask,      // its active threads
    output logic      [       SIZE_BITS-1:0] warp_size  // number of members
);
  logic [PC_BITS-1:0] pc;
  always_comb begin
    pc = '0;
    for (int p = 0; p < PARTNERS; p++)
      pc = pc | (pcs[p*PC_BITS+:PC_BITS] & {PC_BITS{selected == PARTNER_BITS'(p)}});
  end
  for (genvar p = 0; p < PARTNERS; p++) begin : g_partner
    assign members[p] = ready[p] & (p == 3 || pcs[p*PC_BITS+:PC_BITS] == pc);
    assign mask[p*THREADS+:THREADS] = active[p*THREADS+:THREADS] & {THREADS{members[p]}};
  end
  always_comb begin
    warp_size = '0;
    for (int p = 0; p < PARTNERS; p++) warp_size = warp_size + SIZE_BITS'(members[p]);
  end
endmodule

`default_nettype wire
