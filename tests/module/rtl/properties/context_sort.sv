// SPDX-License-Identifier: Apache-2.0
// What the outputs of context_sort must be, as assertions for every input; together they leave no other answer.
`default_nettype none

module context_sort_properties #(
    parameter int HOT = 2,
    parameter int PC_BITS = 32,
    parameter int THREADS = 64
) (
    input wire logic [          2:0] valid,
    input wire logic [          2:0] fixed,
    input wire logic [3*PC_BITS-1:0] pc,
    input wire logic [3*THREADS-1:0] masks
);
  logic [2:0] sorted_valid, sorted_fixed;
  logic [3*PC_BITS-1:0] sorted_pc;
  logic [3*THREADS-1:0] sorted_masks;
  logic [8:0] sources;
  logic push;
  context_sort #(
      .HOT(HOT),
      .PC_BITS(PC_BITS),
      .THREADS(THREADS)
  ) sorter (
      .*
  );

  logic [2:0] live;
  always_comb begin
    for (int i = 0; i < 3; i++) live[i] = valid[i] & |masks[i*THREADS+:THREADS];
    assume (HOT == 2 || !valid[1]);
    assume (HOT == 2 ? ~&(live & fixed) : ~&(live[2:1] & fixed[2:1]) & ~(live[0] & fixed[0] & live[2] & fixed[2]));

    // Each live input is in one output, and outputs have no others.
    assert ((sources[0+:3] | sources[3+:3] | sources[6+:3]) == live);
    assert ((sources[0+:3] & sources[3+:3]) == 0);
    assert ((sources[0+:3] & sources[6+:3]) == 0);
    assert ((sources[3+:3] & sources[6+:3]) == 0);
    for (int k = 0; k < 3; k++) begin
      assert (sorted_valid[k] == |sources[3*k+:3]);
      assert (sorted_masks[k*THREADS+:THREADS] ==
          ((masks[0+:THREADS] & {THREADS{sources[3*k]}}) | (masks[THREADS+:THREADS] & {THREADS{sources[3*k+1]}}) |
           (masks[2*THREADS+:THREADS] & {THREADS{sources[3*k+2]}})));
      assert (sorted_valid[k] || sorted_pc[k*PC_BITS+:PC_BITS] == 0);
      // A fixed input stays alone.
      assert (sorted_fixed[k] == |(sources[3*k+:3] & fixed));
      assert (!sorted_fixed[k] || (sources[3*k+:3] & (sources[3*k+:3] - 1'b1)) == 0);
      for (int i = 0; i < 3; i++) assert (!sources[3*k+i] || sorted_pc[k*PC_BITS+:PC_BITS] == pc[i*PC_BITS+:PC_BITS]);
    end
    // Outputs at one program counter could not merge.
    for (int a = 0; a < 3; a++) begin
      for (int b = a + 1; b < 3; b++)
        assert (!sorted_valid[a] || !sorted_valid[b] || sorted_fixed[a] || sorted_fixed[b] ||
            sorted_pc[a*PC_BITS+:PC_BITS] != sorted_pc[b*PC_BITS+:PC_BITS]);
    end
    // In order; at one program counter a fixed one first, and two of them as in the input.
    assert (!sorted_valid[1] || sorted_valid[0]);
    assert (!sorted_valid[2] || sorted_valid[1]);
    if (HOT == 2 && sorted_valid[1]) begin
      assert (sorted_pc[0+:PC_BITS] <= sorted_pc[PC_BITS+:PC_BITS]);
      assert (sorted_pc[0+:PC_BITS] != sorted_pc[PC_BITS+:PC_BITS] ||
          (sorted_fixed[0] && (!sorted_fixed[1] || sources[0+:3] < sources[3+:3])));
    end
    // One leaves if there are too many: not a fixed one, and the highest of the others.
    assert (push == sorted_valid[HOT]);
    if (push) begin
      assert (!sorted_fixed[HOT]);
      for (int k = 0; k < HOT; k++)
        assert (sorted_fixed[k] || sorted_pc[k*PC_BITS+:PC_BITS] < sorted_pc[HOT*PC_BITS+:PC_BITS]);
    end
  end
endmodule

`default_nettype wire
