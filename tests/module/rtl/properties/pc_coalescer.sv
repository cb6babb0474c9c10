// SPDX-License-Identifier: Apache-2.0
// What the outputs of pc_coalescer must be, as assertions for every input; together they leave no other answer.
`default_nettype none

module pc_coalescer_properties #(
    parameter int SLICES = 8,
    parameter int PC_BITS = 40,
    localparam int GANGS = SLICES / 2
) (
    input wire logic [        SLICES-1:0] members,
    input wire logic [SLICES*PC_BITS-1:0] pcs
);
  logic [GANGS*SLICES-1:0] gangs;
  logic [SLICES-1:0] singles;
  pc_coalescer #(
      .SLICES(SLICES),
      .PC_BITS(PC_BITS)
  ) coalescer (
      .*
  );

  // Bit SLICES * a + b: a and b are members at one program counter.
  logic [SLICES*SLICES-1:0] alike;
  for (genvar a = 0; a < SLICES; a++) begin : g_slice
    for (genvar b = 0; b < SLICES; b++) begin : g_other
      assign alike[a*SLICES+b] = members[a] & members[b] & (pcs[a*PC_BITS+:PC_BITS] == pcs[b*PC_BITS+:PC_BITS]);
    end
  end

  logic [SLICES-1:0] covered;
  always_comb begin
    // Groups are disjoint and cover the members.
    covered = singles;
    for (int k = 0; k < GANGS; k++) begin
      assert ((covered & gangs[k*SLICES+:SLICES]) == 0);
      covered = covered | gangs[k*SLICES+:SLICES];
    end
    assert (covered == members);
    for (int k = 0; k < GANGS; k++) begin
      // A gang has two warps or more.
      assert (gangs[k*SLICES+:SLICES] == 0 || (gangs[k*SLICES+:SLICES] & (gangs[k*SLICES+:SLICES] - 1'b1)) != 0);
      // It consists of all members at the program counter of each of its warps.
      for (int s = 0; s < SLICES; s++)
        assert (!gangs[k*SLICES+s] || gangs[k*SLICES+:SLICES] == alike[s*SLICES+:SLICES]);
    end
    // No other member is at the program counter of a single warp.
    for (int s = 0; s < SLICES; s++) assert (!singles[s] || alike[s*SLICES+:SLICES] == (SLICES'(1) << s));
    // Gangs are in order of their lowest slice, and those that there are come first.
    for (int k = 0; k + 1 < GANGS; k++)
      assert (gangs[(k+1)*SLICES+:SLICES] == 0 ||
          (gangs[k*SLICES+:SLICES] & -gangs[k*SLICES+:SLICES]) <
          (gangs[(k+1)*SLICES+:SLICES] & -gangs[(k+1)*SLICES+:SLICES]));
    for (int k = 0; k + 1 < GANGS; k++) assert (gangs[(k+1)*SLICES+:SLICES] == 0 || gangs[k*SLICES+:SLICES] != 0);
  end
endmodule

`default_nettype wire
