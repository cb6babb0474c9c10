# SPDX-License-Identifier: Apache-2.0
"""Charts and tables of the case study: the figures of its source, and the two kernels under each scheduler."""
from charts import write as write_all
from machines import BEST_LIMIT
from study import bars

SCALAR, VECTOR = "SPMV-Scalar", "SPMV-Vector"
DETECTED = "Detected-DAWS"
OF_SCALAR = ["GTO", "CCWS", BEST_LIMIT, "Profiled-DAWS", DETECTED]
OF_VECTOR = ["LRR", "GTO", "2LVL-GTO", "CCWS", BEST_LIMIT, "Profiled-DAWS", DETECTED]
# Quantities of figure 5.4.
QUANTITIES = {
    "instructions": lambda run: run.instructions,
    "warps": lambda run: run.warps,
    "off-chip reads": lambda run: run.memory("read_bytes"),
    "stores that leave the SMs": lambda run: run.counted("memory.stores"),
    "no room to the interconnect": lambda run: run.counted("l1d.stall_miss_queue"),
}


def write(got, folder):
    """Writes one chart per figure, and kernels.md."""
    write_all(folder, charts(got), {"kernels.md": lambda: tables(got)})


def charts(got):
    yield lambda folder: bars(folder / "figure-5.3.svg", "Execution time", "over SPMV-Vector under its best scheduler", {
        name: {machine: got.time(machine, name) if machine in machines else 0 for machine in OF_VECTOR} for name, machines in ((SCALAR, OF_SCALAR), (VECTOR, OF_VECTOR))})
    yield lambda folder: bars(folder / "figure-5.4.svg", "SPMV-Vector over SPMV-Scalar with Detected-DAWS", "ratio",
                              {quantity: {"SPMV-Vector": measure(got.best_vector) / max(1, measure(got.scalar))} for quantity, measure in QUANTITIES.items()})
    yield lambda folder: bars(folder / "short-rows.svg", "L1 accesses by entries of a row", "SPMV-Scalar over SPMV-Vector",
                              {str(entries): {"GTO": got.advantage(entries)} for entries in got.short_rows})


def tables(got):
    lines = ["| kernel | scheduler | cycles | over the best SPMV-Vector | warp instructions | L1 misses per 1,000 thread-instructions | DRAM reads, bytes | stores | held back, % of the slots |",
             "|---|---|---|---|---|---|---|---|---|"]
    for name, machines in ((SCALAR, OF_SCALAR), (VECTOR, OF_VECTOR)):
        for machine in got.complete(machines, name):
            run = got.of(machine, name)
            label = f"{machine} ({got.best_limit(name)})" if machine == BEST_LIMIT else machine
            lines.append(f"| {name} | {label} | {run.all_cycles:,} | {got.time(machine, name):.3f} | {run.instructions:,} | {run.mpki:.2f} | {run.memory('read_bytes'):,} | "
                         f"{run.counted('memory.stores'):,} | {100 * run.held:.1f} |")
    return lines
