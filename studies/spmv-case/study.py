# SPDX-License-Identifier: Apache-2.0
"""The case study of a sparse matrix-vector product: the simple kernel under each scheduler, against the optimised one.

usage: study.py [--quick] [--jobs N] [--no-build] [--output FOLDER]

--quick: a smaller matrix, and some static limits. Targets of kind `structural` and `cost` are unit tests (tests/unit/studies/),
except those on the kernels; the others are measured here. Runs are cached in out/studies/cache.
Source: docs/sources/cache-conscious-and-divergence-aware.md, chapter 5 of the thesis: 5.2, 6.5.
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "locality"), str(HERE)]
import figures  # noqa: E402
from figures import DETECTED, OF_SCALAR, OF_VECTOR, SCALAR, VECTOR  # noqa: E402
from machines import BEST_LIMIT, Measured, Results, parser_of, run_study, swl  # noqa: E402
from programs import ENTRIES, ROWS, SHORT_ROWS  # noqa: E402
from study import RunFailed, targets  # noqa: E402

# Source: docs/sources/cache-conscious-and-divergence-aware.md, 4.1: the L1 data cache stays as it is.
SHARED = ["sm.residency.shared_bytes=49152"]
CLEARLY = 1.2  # times: the source's significant loss
CLOSE = 1.1  # times


class Measurements(Results):
    """The runs of this study."""

    def __init__(self, quick, jobs):
        super().__init__(quick, jobs, more=SHARED)
        self.short_rows = SHORT_ROWS[::2] if quick else SHORT_ROWS

    def start_all(self):
        self.start([each for each in OF_SCALAR if each != BEST_LIMIT], [SCALAR])
        self.start([each for each in OF_VECTOR if each != BEST_LIMIT], [VECTOR])
        for name in (SCALAR, VECTOR):
            self.start(map(swl, self.limits_of(name)), [name])
        for kernel in (SCALAR, VECTOR):
            for entries in self.short_rows:
                self.start_rows(kernel, entries)

    @property
    def best_vector(self):
        """The optimised kernel under its best scheduler."""
        return min((self.of(machine, VECTOR) for machine in OF_VECTOR), key=lambda run: run.all_cycles)

    @property
    def scalar(self):
        return self.of(DETECTED, SCALAR)

    def time(self, machine, name=SCALAR):
        """Over that of the optimised kernel under its best scheduler."""
        return self.of(machine, name).all_cycles / self.best_vector.all_cycles

    def start_rows(self, name, entries):
        program, arguments = self._input(name, None)
        self.runs.start(("rows", name, entries), Measured, "GTO", program, [*arguments, ENTRIES, str(entries)], self.settings_of(name))

    def advantage(self, entries):
        """L1 accesses of the simple kernel over those of the optimised one with so many entries a row."""
        return self.runs["rows", SCALAR, entries].accesses / self.runs["rows", VECTOR, entries].accesses

    def complete(self, machines, name):
        """Machines on which the kernel's run succeeded."""
        def succeeded(machine):
            try:
                return self.of(machine, name) is not None
            except RunFailed:
                return False
        return [machine for machine in machines if succeeded(machine)]


def execution_time(study, got):
    study.at_most("spmv.fig5.3.detected-within-4", lambda: 100 * (got.time(DETECTED) - 1))
    study.value("spmv.sec1.6.performance-96", lambda: 100 / got.time(DETECTED))
    study.value("spmv.fig5.3.gto-label", lambda: got.time("GTO"))
    study.value("spmv.fig5.3.gto-vs-detected", lambda: got.time("GTO") / got.time(DETECTED))
    study.judged("spmv.fig5.3.ccws-loss", lambda: [got.time("CCWS"), got.time("GTO")], lambda found: CLEARLY < found[0] < found[1], f"times of CCWS and GTO over the optimised kernel: above {CLEARLY}, below that of GTO")
    study.judged("spmv.fig5.3.gto-loss", lambda: got.time("GTO"), lambda time: time > CLEARLY, f"time over the optimised kernel: above {CLEARLY}")
    study.judged("spmv.fig5.3.best-swl-close", lambda: got.time(BEST_LIMIT), lambda time: time <= CLOSE, f"time over the optimised kernel: at most {CLOSE}")
    study.at_most("spmv.fig5.3.axis", lambda: max(got.time(machine) for machine in OF_SCALAR if machine != "GTO"))
    study.order("spmv.fig5.3.order", lambda: {machine: 1 / got.time(machine) for machine in (BEST_LIMIT, DETECTED, "CCWS", "GTO")})
    study.at_most("spmv.sec5.1.vector-variation", lambda: max(100 * (got.time(machine, VECTOR) - 1) for machine in OF_VECTOR))


def traffic(study, got):
    study.value("spmv.fig5.4.instructions", lambda: got.best_vector.instructions / got.scalar.instructions, "warp instructions")
    study.value("spmv.fig5.4.reads", lambda: 100 * (reads(got.scalar) / reads(got.best_vector) - 1))
    study.value("spmv.fig5.4.reads-vector", lambda: reads(got.best_vector) / reads(got.scalar))
    study.at_least("spmv.sec5.1.reads-gto", lambda: reads(got.of("GTO", SCALAR)) / reads(got.best_vector))
    study.at_least("spmv.sec5.1.reads-gto-vs-detected", lambda: reads(got.of("GTO", SCALAR)) / reads(got.scalar))
    study.value("spmv.fig5.4.writes", lambda: stores(got.best_vector) / stores(got.scalar), "stores that reach the L2, whose evicted lines reach DRAM later")
    study.value("spmv.fig5.4.interconnect-full", lambda: blocked(got.best_vector) / max(1, blocked(got.scalar)), "cycles in which the L1 data cache had no room in its queue to the interconnect")
    study.at_most("spmv.fig5.4.axis", lambda: max(got.best_vector.instructions / got.scalar.instructions, reads(got.best_vector) / reads(got.scalar), stores(got.best_vector) / stores(got.scalar)))
    outputs = lambda: int(got.scalar.size) / stores(got.scalar)  # noqa: E731
    study.at_most("spmv.sec5.1.scalar-outputs-per-write", outputs, "rows for each store of a warp")
    study.value("spmv.sp1.same-result", lambda: sum(" PASS " not in run.output for run in (got.scalar, got.best_vector)),
                "kernels whose result is not that of a reference that adds in the kernel's order")
    study.judged("spmv.sec5.short-rows", lambda: [got.advantage(entries) for entries in got.short_rows], lambda found: found[0] < found[-1] / 2,
                 f"L1 accesses for each entry, SPMV-Scalar over SPMV-Vector, with {', '.join(map(str, got.short_rows))} entries a row: the first below half of the last")
    study.value("spmv.fig5.4.warps", lambda: got.best_vector.warps / got.scalar.warps)
    for target, run in (("warps-scalar", lambda: got.scalar), ("warps-vector", lambda: got.best_vector)):
        study.value(f"spmv.sp1.{target}", lambda run=run: run().warps * ROWS / int(run().size), f"for {ROWS} rows")
    study.value("spmv.sec5.1.vector-one-write-per-row", lambda: stores(got.best_vector) / int(got.best_vector.size))


def reads(run):
    """Bytes read from DRAM."""
    return run.memory("read_bytes")


def stores(run):
    """Stores of warps, each of which leaves the SM as one request or more."""
    return run.counted("memory.stores")


def blocked(run):
    return run.counted("l1d.stall_miss_queue")


def measured():
    """The targets of this study, by id."""
    return targets("cache-conscious-and-divergence-aware", "spmv.")


def judge(study, got):
    for part in (execution_time, traffic):
        study.part(part, study, got)


def main():
    options = parser_of("spmv-case", __doc__).parse_args()
    return run_study("spmv-case", options, measured(), Measurements, judge, figures.write)


if __name__ == "__main__":
    sys.exit(main())
