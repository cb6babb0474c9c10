// SPDX-License-Identifier: Apache-2.0
// What the outputs of mask_merge must be, as assertions for every input; together they leave no other answer.
`default_nettype none

module mask_merge_properties #(
    parameter int PARTNERS = 8,
    parameter int THREADS = 8,
    parameter int PC_BITS = 32,
    localparam int PARTNER_BITS = $clog2(PARTNERS),
    localparam int SIZE_BITS = $clog2(PARTNERS + 1)
) (
    input wire logic [    PARTNER_BITS-1:0] selected,
    input wire logic [        PARTNERS-1:0] ready,
    input wire logic [PARTNERS*PC_BITS-1:0] pcs,
    input wire logic [PARTNERS*THREADS-1:0] active
);
  logic [PARTNERS-1:0] members;
  logic [PARTNERS*THREADS-1:0] mask;
  logic [SIZE_BITS-1:0] warp_size;
  mask_merge #(
      .PARTNERS(PARTNERS),
      .THREADS (THREADS),
      .PC_BITS (PC_BITS)
  ) merge (
      .*
  );

  logic [SIZE_BITS-1:0] count;
  always_comb begin
    count = '0;
    for (int p = 0; p < PARTNERS; p++) begin
      // No partner takes part that is not ready.
      assert (!members[p] || ready[p]);
      // A ready one does if and only if it is at the program counter of the selected one.
      for (int s = 0; s < PARTNERS; s++)
        assert (selected != PARTNER_BITS'(s) || !ready[p] ||
            members[p] == (pcs[p*PC_BITS+:PC_BITS] == pcs[s*PC_BITS+:PC_BITS]));
      // Its threads are the large warp's; those of others are not.
      assert (mask[p*THREADS+:THREADS] == (members[p] ? active[p*THREADS+:THREADS] : '0));
      count = count + SIZE_BITS'(members[p]);
    end
    assert (warp_size == count);
  end
endmodule

`default_nettype wire
