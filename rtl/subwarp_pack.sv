// SPDX-License-Identifier: Apache-2.0
// The sub-warp packer: of the threads that an instruction of a large warp is still to serve, those that go in this cycle.
// Masks hold row after row, so that thread row * COLUMNS + column is a bit's number. Combinational, a row at a time.
// Source: spec/large-warps-and-database-search.md, 2.5.3 and 8. Model: pack_subwarp() in models/sm/grouping/large_warps/subwarp_packer.h.
`default_nettype none

module subwarp_pack #(
    parameter int ROWS = 8,  // 2 or more
    parameter int COLUMNS = 32,  // the SIMD width
    localparam int THREADS = ROWS * COLUMNS,
    localparam int ROW_BITS = $clog2(ROWS)
) (
    input  wire logic [         THREADS-1:0] work_mask,  // threads still to serve
    input  wire logic [         THREADS-1:0] inflight,   // threads in packets that have not completed
    input  wire logic [         THREADS-1:0] guard,      // threads whose guard holds; of those not in flight
    input  wire logic [                 1:0] mode,       // 0: a thread a column; 1: a whole row; 2, 3: a token
    output logic      [         COLUMNS-1:0] sub_mask,   // columns that have a thread
    output logic      [ROW_BITS*COLUMNS-1:0] row_id,     // bit b * COLUMNS + c: bit b of the row of column c, or 0
    output logic      [         THREADS-1:0] next_mask,  // work_mask of the next cycle
    output logic                             any,        // some thread goes
    output logic                             last        // nothing is left
);
  logic by_row, token;
  assign by_row = mode[0];
  assign token  = mode[1];

  // A guard counts once its thread is not in flight: only then is a thread whose guard is false dropped.
  logic [THREADS-1:0] work, eligible;
  assign work     = work_mask & (inflight | guard);
  assign eligible = work_mask & ~inflight & guard;

  // The lowest row of each column, or the first row that can go whole.
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
