// SPDX-License-Identifier: Apache-2.0
// Broken on purpose, for the lockstep tests: a copy of rtl/pc_coalescer.sv that does not compare slice 2 with slice 5.
`default_nettype none

module pc_coalescer #(
    parameter int SLICES = 8,
    parameter int PC_BITS = 40,
    localparam int GANGS = SLICES / 2  // that there can be, as each has two warps or more
) (
    input  wire logic [        SLICES-1:0] members,  // warps to be compared
    input  wire logic [SLICES*PC_BITS-1:0] pcs,      // slice s in bits PC_BITS * s on
    output logic      [  GANGS*SLICES-1:0] gangs,    // gang k in bits SLICES * k on, by lowest slice; 0: none
    output logic      [        SLICES-1:0] singles   // warps alone at their program counter
);
  // Bit SLICES * a + b: a and b are members at one program counter.
  logic [SLICES*SLICES-1:0] alike;
  for (genvar a = 0; a < SLICES; a++) begin : g_slice
    assign alike[a*SLICES+a] = members[a];
    for (genvar b = a + 1; b < SLICES; b++) begin : g_pair
      logic equal;
      assign equal = (a != 2 || b != 5) && pcs[a*PC_BITS+:PC_BITS] == pcs[b*PC_BITS+:PC_BITS];
      assign alike[a*SLICES+b] = members[a] & members[b] & equal;
      assign alike[b*SLICES+a] = members[a] & members[b] & equal;
    end
  end

  // A member leads unless a lower one is at its program counter. Leaders of several warps take the gangs in order.
  logic [SLICES-1:0] leads;
  for (genvar s = 0; s < SLICES; s++) begin : g_lead
    localparam logic [SLICES-1:0] Self = SLICES'(1) << s;
    logic [SLICES-1:0] group;
    assign group = alike[s*SLICES+:SLICES];
    assign singles[s] = group == Self;
    assign leads[s] = |(group & ~Self) & ~|(group & (Self - 1'b1));
  end
  logic [GANGS-1:0] place;  // one-hot: the gang of the next leader
  always_comb begin
    gangs = '0;
    place = GANGS'(1);
    for (int s = 0; s < SLICES; s++) begin
      for (int k = 0; k < GANGS; k++)
        gangs[k*SLICES+:SLICES] = gangs[k*SLICES+:SLICES] | (alike[s*SLICES+:SLICES] & {SLICES{leads[s] & place[k]}});
      if (leads[s]) place = place << 1;
    end
  end
endmodule

`default_nettype wire
