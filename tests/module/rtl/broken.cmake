# SPDX-License-Identifier: Apache-2.0
# Blocks that are broken on purpose, for the tests that must notice it: each is the block of rtl/ with one text replaced.

# broken_block(<block> <text> <replacement>): writes <block>.sv into the folder ${broken}. The text stands once in rtl/<block>.sv.
set(broken ${CMAKE_CURRENT_BINARY_DIR}/broken)
function(broken_block block text replacement)
  set(source ${HEDDLE_RTL_SOURCES}/${block}.sv)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} whole)
  string(FIND "${whole}" "${text}" first)
  string(FIND "${whole}" "${text}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "${source}: a text that stands there once, to be broken, is expected: ${text}")
  endif()
  string(REPLACE "${text}" "${replacement}" whole "${whole}")
  file(CONFIGURE OUTPUT ${broken}/${block}.sv CONTENT "${whole}" @ONLY)
endfunction()

# The highest row of a column is selected instead of the lowest.
broken_block(subwarp_pack [=[row_taken     = 1'b0;
    for (int r = 0; r < ROWS; r++)]=] [=[row_taken     = 1'b0;
    for (int r = ROWS - 1; r >= 0; r--)]=])
# The adder of lane 13 in level 3 is missing.
broken_block(prefix_sum_ks [=[below = here << (1 << (k - 1));]=] [=[below = here << (1 << (k - 1));
        if (k == 3) below[13] = 1'b0;]=])
# A new split is not merged with the first hot context.
broken_block(context_sort [=[assign joins[p] = live[A]]=] [=[assign joins[p] = p != 1 & live[A]]=])
# The higher way wins ties.
broken_block(secondary_lookup [=[KeyBits] > winners]=] [=[KeyBits] >= winners]=])
# Terms are added modulo 2.
broken_block(dependency_step "| (step[3+:3] & {3{entries[9*e+3*i+1]}}) |" "^ (step[3+:3] & {3{entries[9*e+3*i+1]}}) ^")
# Slice 2 is not compared with slice 5.
broken_block(pc_coalescer [=[assign equal = pcs]=] [=[assign equal = (a != 2 || b != 5) && pcs]=])
# Gangs of two kinds of memory access issue together if the second kind has no bit that the first lacks.
broken_block(gang_select [=[(kinds[b*ENTRIES+:ENTRIES] ^ {]=] [=[(kinds[b*ENTRIES+:ENTRIES] & ~{]=])
# Of several gangs of one size picked in a cycle, the last one counts as the one that issued last.
broken_block(gang_table [=[for (int g = GANGS - 1; g >= 0; g--) begin]=] [=[for (int g = 0; g < GANGS; g++) begin]=])
# The program counter kept is that of the last sub-warp that arrived.
broken_block(partner_synch [=[assign first_pc = arrives & ~taken ?]=] [=[assign first_pc = arrives ?]=])
# Partner 3 is merged at any program counter.
broken_block(mask_merge [=[ready[p] & (pcs]=] [=[ready[p] & (p == 3 || pcs]=])
# Way 0 is always the one replaced.
broken_block(victim_lookup [=[(&valid ? replaced :]=] [=[(&valid ? WAYS'(1) :]=])
# At one score the higher warp comes first.
broken_block(score_cutoff [=[= ~Numbers;]=] [=[= Numbers;]=])
