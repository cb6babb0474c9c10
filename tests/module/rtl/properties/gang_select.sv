// SPDX-License-Identifier: Apache-2.0
// What the outputs of gang_select must be, as assertions for every state of a table; together they leave no other
// answer.
`default_nettype none

module gang_select_properties #(
    parameter int SETS = 2,
    parameter int SLICES = 4,
    parameter int GANGS = 2,
    parameter int KIND_BITS = 2,
    localparam int WAYS = 4,
    localparam int ENTRIES = SETS * WAYS,
    localparam int ENTRY_BITS = $clog2(ENTRIES),
    localparam int SIZE_BITS = $clog2(SLICES)
) (
    input wire logic [   SLICES*ENTRIES-1:0] members,
    input wire logic [KIND_BITS*ENTRIES-1:0] kinds,
    input wire logic [        SETS*SETS-1:0] older,
    input wire logic [           SLICES-1:0] last_valid,
    input wire logic [SLICES*ENTRY_BITS-1:0] last,
    input wire logic [          ENTRIES-1:0] ready,
    input wire logic [           SLICES-1:0] free
);
  logic [SIZE_BITS*ENTRIES-1:0] sizes;
  logic [GANGS-1:0] valid;
  logic [GANGS*ENTRY_BITS-1:0] entries;
  logic [GANGS*SIZE_BITS-1:0] picked;
  gang_select #(
      .SETS(SETS),
      .SLICES(SLICES),
      .GANGS(GANGS),
      .KIND_BITS(KIND_BITS)
  ) select (
      .*
  );

  // By entry, not in planes.
  logic [ENTRIES*SLICES-1:0] masks;
  logic [ENTRIES*SIZE_BITS-1:0] counts;  // less one
  logic [ENTRIES*KIND_BITS-1:0] accesses;
  logic [ENTRIES-1:0] latest;  // issued last of its size
  for (genvar e = 0; e < ENTRIES; e++) begin : g_entry
    for (genvar s = 0; s < SLICES; s++) begin : g_slice
      assign masks[e*SLICES+s] = members[s*ENTRIES+e];
    end
    always_comb begin
      counts[e*SIZE_BITS+:SIZE_BITS] = '1;
      for (int s = 0; s < SLICES; s++)
        counts[e*SIZE_BITS+:SIZE_BITS] = counts[e*SIZE_BITS+:SIZE_BITS] + SIZE_BITS'(members[s*ENTRIES+e]);
    end
    for (genvar b = 0; b < SIZE_BITS; b++) begin : g_size
      assign sizes[b*ENTRIES+e] = counts[e*SIZE_BITS+b];
    end
    for (genvar b = 0; b < KIND_BITS; b++) begin : g_kind
      assign accesses[e*KIND_BITS+b] = kinds[b*ENTRIES+e];
    end
    always_comb begin
      latest[e] = 1'b0;
      for (int n = 0; n < SLICES; n++)
        latest[e] = latest[e] | (counts[e*SIZE_BITS+:SIZE_BITS] == n && last_valid[n] &&
            last[n*ENTRY_BITS+:ENTRY_BITS] == e);
    end
  end

  // A state of the table: ready entries hold gangs, and the sets are ordered by age.
  always_comb begin
    for (int e = 0; e < ENTRIES; e++) assume (!ready[e] || masks[e*SLICES+:SLICES] != 0);
    for (int n = 0; n < SLICES; n++) assume (last[n*ENTRY_BITS+:ENTRY_BITS] < ENTRIES);
    for (int a = 0; a < SETS; a++) begin
      assume (!older[a*SETS+a]);
      for (int b = 0; b < SETS; b++) begin
        assume (a == b || older[a*SETS+b] != older[b*SETS+a]);
        for (int c = 0; c < SETS; c++) assume (!older[a*SETS+b] || !older[b*SETS+c] || older[a*SETS+c]);
      end
    end
  end

  // Bit ENTRIES * a + b: entry a issues before entry b.
  logic [ENTRIES*ENTRIES-1:0] before;
  for (genvar a = 0; a < ENTRIES; a++) begin : g_order
    for (genvar b = 0; b < ENTRIES; b++) begin : g_other
      localparam int A = a / WAYS, B = b / WAYS;
      logic larger, equal, first;
      assign larger = counts[a*SIZE_BITS+:SIZE_BITS] > counts[b*SIZE_BITS+:SIZE_BITS];
      assign equal = counts[a*SIZE_BITS+:SIZE_BITS] == counts[b*SIZE_BITS+:SIZE_BITS];
      assign first = A == B ? a < b : older[B*SETS+A];
      assign before[a*ENTRIES+b] = larger | (equal & (latest[a] | (~latest[b] & first)));
    end
  end

  for (genvar g = 0; g < GANGS; g++) begin : g_pick
    // What is left by the gangs before, from the outputs.
    logic [SLICES-1:0] left;
    logic [KIND_BITS-1:0] served;
    if (g == 0) begin : g_first
      assign left = free;
      assign served = '0;
    end else begin : g_next
      logic [ENTRY_BITS-1:0] past;
      assign past = entries[(g-1)*ENTRY_BITS+:ENTRY_BITS];
      assign left = g_pick[g-1].left & ~(masks[past*SLICES+:SLICES] & {SLICES{valid[g-1]}});
      assign served = valid[g-1] && accesses[past*KIND_BITS+:KIND_BITS] != 0 ?
          accesses[past*KIND_BITS+:KIND_BITS] : g_pick[g-1].served;
    end
    logic [ENTRIES-1:0] fits;
    for (genvar e = 0; e < ENTRIES; e++) begin : g_fits
      assign fits[e] = ready[e] && (masks[e*SLICES+:SLICES] & ~left) == 0 &&
          (accesses[e*KIND_BITS+:KIND_BITS] == 0 || served == 0 || accesses[e*KIND_BITS+:KIND_BITS] == served);
    end

    logic [ENTRY_BITS-1:0] entry;
    assign entry = entries[g*ENTRY_BITS+:ENTRY_BITS];
    always_comb begin
      assert (valid[g] == |fits);
      if (valid[g]) begin
        assert (entry < ENTRIES);
        assert (fits[entry]);
        assert (picked[g*SIZE_BITS+:SIZE_BITS] == counts[entry*SIZE_BITS+:SIZE_BITS]);
        // No other that fits issues before it.
        for (int e = 0; e < ENTRIES; e++) assert (e == entry || !fits[e] || !before[e*ENTRIES+entry]);
      end else begin
        assert (entry == 0);
        assert (picked[g*SIZE_BITS+:SIZE_BITS] == 0);
      end
    end
  end
endmodule

`default_nettype wire
