// SPDX-License-Identifier: Apache-2.0
// Sub-warp packer: selects the threads of a large warp's instruction that issue in this cycle. Masks are concatenated
// rows: bit row * COLUMNS + column is one thread. Combinational, one row at a time.
// Source: docs/sources/large-warps-and-database-search.md, 2.5.3 and 8. Model: pack_subwarp() in
// models/sm/grouping/large_warps/subwarp_packer.h.
`default_nettype none

module subwarp_pack #(
    parameter int ROWS = 8,  // 2 or more
    parameter int COLUMNS = 32,  // the SIMD width
    localparam int THREADS = ROWS * COLUMNS,
    localparam int ROW_BITS = $clog2(ROWS)
) (
    input  wire logic [         THREADS-1:0] work_mask,  // threads still to serve
    input  wire logic [         THREADS-1:0] inflight,   // threads in packets that have not completed
    input  wire logic [         THREADS-1:0] guard,      // threads whose guard is true; ignored for threads in flight
    input  wire logic [                 1:0] mode,       // 0: one thread per column; 1: a whole row; 2, 3: a token
    output logic      [         COLUMNS-1:0] sub_mask,   // columns with a selected thread
    output logic      [ROW_BITS*COLUMNS-1:0] row_id,     // bit b * COLUMNS + c: bit b of the row of column c; 0: none
    output logic      [         THREADS-1:0] next_mask,  // work_mask of the next cycle
    output logic                             any,        // a thread was selected
    output logic                             last        // next_mask is empty
);
  logic by_row, token;
  assign by_row = mode[0];
  assign token  = mode[1];

  // A guard is valid once its thread is not in flight: only then is a thread with a false guard dropped.
  logic [THREADS-1:0] work, eligible;
  assign work     = work_mask & (inflight | guard);
  assign eligible = work_mask & ~inflight & guard;

  // The lowest eligible row of each column, or the lowest row whose remaining threads are all eligible.
  logic [THREADS-1:0] take;
  logic [COLUMNS-1:0] columns_taken;
  logic row_taken, whole;
  always_comb begin
    columns_taken = '0;
    row_taken     = 1'b0;
    for (int r = 0; r < ROWS; r++) begin
      whole = |work[r*COLUMNS+:COLUMNS] & (work[r*COLUMNS+:COLUMNS] == eligible[r*COLUMNS+:COLUMNS]);
      take[r*COLUMNS+:COLUMNS] = eligible[r*COLUMNS+:COLUMNS] &
          ~(by_row ? {COLUMNS{row_taken | ~whole}} : columns_taken) & {COLUMNS{~token}};
      columns_taken = columns_taken | eligible[r*COLUMNS+:COLUMNS];
      row_taken     = row_taken | whole;
    end
  end

  always_comb begin
    sub_mask = '0;
    row_id   = '0;
    for (int r = 0; r < ROWS; r++) begin
      sub_mask = sub_mask | take[r*COLUMNS+:COLUMNS];
      for (int b = 0; b < ROW_BITS; b++) begin
        if (((r >> b) & 1) != 0) row_id[b*COLUMNS+:COLUMNS] = row_id[b*COLUMNS+:COLUMNS] | take[r*COLUMNS+:COLUMNS];
      end
    end
  end

  assign next_mask = work & ~take & {THREADS{~token}};
  assign any       = |sub_mask;
  assign last      = ~|next_mask;
endmodule

`default_nettype wire
