// SPDX-License-Identifier: Apache-2.0
// Broken on purpose, for the proof of properties: a copy of rtl/gang_select.sv in which gangs of two kinds of memory
// access issue together if the second kind has no bit that the first lacks.
`default_nettype none

module gang_select #(
    parameter int SETS = 32,  // 2 or more
    parameter int SLICES = 8,  // 2 or more
    parameter int GANGS = 2,  // that issue per cycle at most
    parameter int KIND_BITS = 4,
    localparam int WAYS = 4,
    localparam int ENTRIES = SETS * WAYS,  // entry e is in set e / WAYS
    localparam int ENTRY_BITS = $clog2(ENTRIES),
    localparam int SIZE_BITS = $clog2(SLICES)
) (
    // In planes: bit b of every entry in bits ENTRIES * b on.
    input  wire logic [   SLICES*ENTRIES-1:0] members,
    input  wire logic [SIZE_BITS*ENTRIES-1:0] sizes,       // of members, less one
    input  wire logic [KIND_BITS*ENTRIES-1:0] kinds,       // of memory access; 0: none. One kind is served per cycle
    input  wire logic [        SETS*SETS-1:0] older,       // bit SETS * s + t: set t is older than set s
    input  wire logic [           SLICES-1:0] last_valid,  // by size, less one: a gang of this size has issued
    input  wire logic [SLICES*ENTRY_BITS-1:0] last,        // the entry that issued last of each size
    input  wire logic [          ENTRIES-1:0] ready,       // entries of gangs whose members can all issue
    input  wire logic [           SLICES-1:0] free,        // slices that gangs may use
    output logic      [            GANGS-1:0] valid,       // gang g issues, and so do those before it
    output logic      [ GANGS*ENTRY_BITS-1:0] entries,     // in order of choice; 0 where not valid
    output logic      [  GANGS*SIZE_BITS-1:0] picked       // sizes, less one; 0 where not valid
);
  for (genvar g = 0; g < GANGS; g++) begin : g_stage
    // Entries that fit beside the gangs picked before.
    logic [SLICES-1:0] taken;
    logic [ENTRIES-1:0] busy, fits;
    always_comb begin
      busy = '0;
      for (int s = 0; s < SLICES; s++) busy = busy | (members[s*ENTRIES+:ENTRIES] & {ENTRIES{taken[s]}});
    end
    logic [ENTRIES-1:0] pick;
    if (g == 0) begin : g_first
      assign taken = ~free;
      assign fits  = ready & ~busy;
      if (GANGS == 1) begin : g_alone
        logic unused;  // one gang alone has one kind
        assign unused = &{1'b0, kinds};
      end
    end else begin : g_next
      for (genvar s = 0; s < SLICES; s++) begin : g_taken
        assign taken[s] = |(g_stage[g-1].pick & members[s*ENTRIES+:ENTRIES]);
      end
      // What the memory unit serves: the kind of a gang before, as all of them have the same or none.
      logic [KIND_BITS-1:0] served;
      logic [ENTRIES-1:0] accesses, differs;
      for (genvar b = 0; b < KIND_BITS; b++) begin : g_served
        assign served[b] = |(g_stage[g-1].pick & kinds[b*ENTRIES+:ENTRIES]);
      end
      always_comb begin
        accesses = '0;
        differs  = '0;
        for (int b = 0; b < KIND_BITS; b++) begin
          accesses = accesses | kinds[b*ENTRIES+:ENTRIES];
          differs  = differs | (kinds[b*ENTRIES+:ENTRIES] & ~{ENTRIES{served[b]}});
        end
      end
      // Others than `served` stay excluded in later stages.
      assign fits = g_stage[g-1].fits & ~busy & ~(accesses & differs & {ENTRIES{|served}});
    end

    // Of these, those with most warps: bit by bit of the size, the highest first.
    logic [ENTRIES-1:0] widest;
    logic [SIZE_BITS-1:0] size;
    always_comb begin
      widest = fits;
      for (int b = SIZE_BITS - 1; b >= 0; b--) begin
        size[b] = |(widest & sizes[b*ENTRIES+:ENTRIES]);
        widest   = widest & (sizes[b*ENTRIES+:ENTRIES] | {ENTRIES{~size[b]}});
      end
    end

    // Of these, the one that issued last.
    logic [ENTRIES-1:0] again;
    assign again = widest & (ENTRIES'(last_valid[size]) << last[size*ENTRY_BITS+:ENTRY_BITS]);

    // Or the lowest entry of the oldest set.
    logic [   SETS-1:0] sets;
    logic [ENTRIES-1:0] first;
    for (genvar s = 0; s < SETS; s++) begin : g_set
      logic [WAYS-1:0] ways;
      assign ways = widest[s*WAYS+:WAYS];
      assign sets[s] = |ways;
      assign first[s*WAYS+:WAYS] = ways & -ways & {WAYS{~|(sets & older[s*SETS+:SETS])}};
    end

    assign pick = |again ? again : first;
    assign valid[g] = |sets;
    assign picked[g*SIZE_BITS+:SIZE_BITS] = size;
    for (genvar b = 0; b < ENTRY_BITS; b++) begin : g_entry
      // The entries whose number has bit b.
      localparam int Size = 1 << b;
      localparam logic [ENTRIES-1:0] Numbers = ENTRIES'({ENTRIES / (2 * Size) + 1{{Size{1'b1}}, {Size{1'b0}}}});
      assign entries[g*ENTRY_BITS+b] = |(pick & Numbers);
    end
  end
endmodule

`default_nettype wire
