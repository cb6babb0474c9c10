#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the workloads on machines and compares each result with the catalogue.

A program whose result does not depend on thread order must give the catalogue's digest on every machine; the others must
pass their own check.

usage: matrix.py HEDDLE PROGRAMS CATALOGUE [--machines a,b|all] [--variants name,...|all] [--orders name,...|all]
                 [--programs p,q] [--jobs N] [--shard I/N | --sample K] [--judge CHECK_COMMANDS] [--same-cycles] [--golden] [--list]
"""
import argparse
import concurrent.futures
import functools
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))
import by_commit  # noqa: E402

PRESETS = ["small", "gtx480", "quadro-fx5800", "gtx285", "tesla-16x8", "large-warp-core", "interweaving-sm", "interweaving-baseline",
           "interweaving-frontiers", "interweaving-warps", "interweaving-both", "vws-ws64", "vws-ws32", "vws-ws16", "vws-ws8",
           "vws-ws4", "vws-i", "vws-e", "vws-e-impatient", "vws-proposed", "vws-wide", "ccws", "ccws-power",
           "dwr-ws8", "dwr-ws16", "dwr-ws32", "dwr-ws64", "dwr-16", "dwr-32", "dwr-64", "dwr-fermi",
           "swl", "daws-profiled", "daws-detected",
           "barrel-core", "database-core", "two-level-core", "large-warp-two-level-core", "compaction-core", "formation-core",
           "subdivision-core", "thread-counters-core", "predication-core"]

ORDERS = ["lrr", "gto", "oldest", "grr", "two_level_rotating", "two_level_exclusive", "two_level_active",
          "sticky_round_robin", "majority", "post_dominator_priority", "oldest_instruction"]

# Eight slices of four lanes.
SLICES = ["sm.grouping=variable_warps", "sm.warp_size=4", "sm.schedulers=8", "sm.residency.threads=1024", "sm.operands.banks=0",
          "sm.fetch.width=10"]

# Sub-warps of eight threads.
PARTNERS = ["sm.grouping=dynamic_warp_resizing", "sm.warp_size=8", "sm.simd_width=8", "sm.alu.lanes=8", "sm.sfu.lanes=8",
            "sm.memory_lanes=8"]

# Changes to a machine, by name. With --machines all a variant need not fit every machine, which then exits with status
# 100, but it must fit at least one (with some order). Variants that give the same machine as another are omitted.
VARIANTS = {
    "lrr": ["sm.order=lrr"],
    "gto": ["sm.order=gto"],
    "oldest": ["sm.order=oldest"],
    "grr": ["sm.order=grr"],
    "two_level_rotating": ["sm.order=two_level_rotating"],
    "two_level_exclusive": ["sm.order=two_level_exclusive"],
    "two_level_active": ["sm.order=two_level_active"],
    "active_on_misses": ["sm.order=two_level_active", "sm.two_level_active.leaves_on=miss"],
    "sticky_round_robin": ["sm.order=sticky_round_robin"],
    "majority": ["sm.order=majority"],
    "post_dominator_priority": ["sm.order=post_dominator_priority"],
    "oldest_instruction": ["sm.order=oldest_instruction"],
    "static_limit": ['sm.vetoes=["static_limit"]', "sm.static_limit.limit=4"],
    "daws": ['sm.vetoes=["divergence_aware"]'],
    "daws_narrow": ['sm.vetoes=["divergence_aware"]', "sm.divergence_aware.associativity_factor=0.1",
                    "sm.divergence_aware.strict_age=true", "sm.divergence_aware.ignore_control_flow=true",
                    "sm.divergence_aware.table_entries=2"],
    "daws_profiled": ['sm.vetoes=["divergence_aware"]', "sm.divergence_aware.classes=profiled",
                      "sm.divergence_aware.associativity_factor=0.1"],
    "ccws": ['sm.vetoes=["cache_conscious"]', "sm.cache_conscious.k_throttle=128"],
    "ccws_strict": ['sm.vetoes=["cache_conscious"]', "sm.cache_conscious.k_throttle=1024", "sm.cache_conscious.score_bits=12",
                    "sm.cache_conscious.cutoff_rule=inclusive", "sm.cache_conscious.totals=cumulative",
                    "sm.cache_conscious.never_lower=true", "sm.cache_conscious.latency=7", "sm.cache_conscious.period=5",
                    "sm.cache_conscious.victim_tags.entries=0"],
    "ccws_reference": ['sm.vetoes=["cache_conscious"]', "sm.cache_conscious.k_throttle=128", "sm.cache_conscious.below_base=reference",
                       "sm.cache_conscious.victim_tags.replacement=lru", "sm.cache_conscious.victim_tags.clear_on_warp_exit=true"],
    "frontiers": ["sm.grouping=thread_frontiers"],
    "full_masks": ["sm.hazards=full_masks"],
    "one_in_flight": ["sm.shape=one_in_flight", "sm.hazards=one_in_flight"],
    "barrel": ["sm.shape=barrel", "sm.hazards=one_in_flight", "sm.schedulers=1"],
    "warp4": ["sm.warp_size=4", "sm.simd_width=4", "sm.alu.lanes=4", "sm.sfu.lanes=4", "sm.memory_lanes=4"],
    "warp8": ["sm.warp_size=8", "sm.simd_width=8", "sm.alu.lanes=8", "sm.sfu.lanes=8", "sm.memory_lanes=8"],
    "warp16": ["sm.warp_size=16", "sm.simd_width=16", "sm.alu.lanes=16", "sm.sfu.lanes=16", "sm.memory_lanes=16"],
    "simd16": ["sm.simd_width=16", "sm.alu.lanes=16", "sm.sfu.lanes=16", "sm.memory_lanes=16"],
    "warp64": ["sm.warp_size=64"],
    "warp128": ["sm.warp_size=128"],
    "warp256": ["sm.warp_size=256"],
    "warp512": ["sm.warp_size=512"],
    "lpc": ["sm.order=lpc"],
    "slices": [*SLICES, "sm.variable_warps.mode=slice_only"],
    "gangs": SLICES,
    "gangs_group": [*SLICES, "sm.variable_warps.memory_split=group", "sm.variable_warps.gang_order=lrr"],
    "gangs_again": [*SLICES, "sm.variable_warps.memory_split=impatient", "sm.variable_warps.reform=opportunistic",
                    "sm.variable_warps.merge_items=8", "sm.variable_warps.gang_order=lpc", "sm.variable_warps.gangs_per_cycle=4"],
    "gangs_sync": [*SLICES, "sm.variable_warps.reform=opportunistic", "sm.variable_warps.sync_wait=50",
                   "sm.variable_warps.gang_order=lgto"],
    "gangs_stores": [*SLICES, "sm.variable_warps.l0_bytes=64", "sm.variable_warps.fetch_ports=2", "sm.variable_warps.aging=20",
                     "sm.variable_warps.gangs_per_cycle=1"],
    "resizing": PARTNERS,
    "resizing_two": [*PARTNERS, "sm.dynamic_warp_resizing.partners=2", "sm.dynamic_warp_resizing.ilt_ways=0"],
    "resizing_isa": [*PARTNERS, "sm.dynamic_warp_resizing.barrier=real_isa", "sm.dynamic_warp_resizing.lat_param=true"],
    "resizing_learned": [*PARTNERS, "sm.dynamic_warp_resizing.sync_mode=dynamic", "sm.dynamic_warp_resizing.ilt_sets=1",
                         "sm.dynamic_warp_resizing.ilt_ways=1", "sm.dynamic_warp_resizing.ilt_hit_latency=24"],
    "resizing_whole": [*PARTNERS, "sm.shape=one_in_flight", "sm.hazards=one_in_flight",
                       "sm.dynamic_warp_resizing.lat_release=per_largewarp"],
    "interweaving": ["sm.grouping=branch_interweaving", "sm.hazards=full_masks", "sm.warp_size=64", "sm.simd_width=64", "sm.alu.lanes=64",
                     "sm.residency.threads=1024"],
    "interweaving_exact": ["sm.grouping=branch_interweaving", "sm.hazards=dependency_matrix", "sm.warp_size=64", "sm.simd_width=64",
                           "sm.alu.lanes=64", "sm.residency.threads=1024", "sm.branch_interweaving.heap=exact",
                           "sm.branch_interweaving.constraints=true"],
    "interweaving_warps": ["sm.grouping=warp_interweaving", "sm.warp_size=64", "sm.simd_width=64", "sm.alu.lanes=64",
                           "sm.residency.threads=1024", "sm.warp_interweaving.sets=4"],
    "interweaving_both": ["sm.grouping=branch_and_warp_interweaving", "sm.hazards=dependency_matrix", "sm.warp_size=64",
                          "sm.simd_width=64", "sm.alu.lanes=64", "sm.residency.threads=1024"],
    "interweaving_small_table": ["sm.grouping=branch_and_warp_interweaving", "sm.hazards=dependency_matrix", "sm.warp_size=64",
                                 "sm.simd_width=64", "sm.alu.lanes=64", "sm.residency.threads=1024",
                                 "sm.branch_and_warp_interweaving.cold_entries=2",
                                 "sm.branch_and_warp_interweaving.head_swap=false"],
    "text_order": ["code_order=text"],
    "interweaving_text": ["sm.grouping=branch_and_warp_interweaving", "sm.hazards=dependency_matrix", "sm.warp_size=64",
                          "sm.simd_width=64", "sm.alu.lanes=64", "sm.residency.threads=1024", "code_order=text",
                          "sm.branch_and_warp_interweaving.constraints=true"],
    "counters": ["sm.grouping=thread_counters"],
    "predication": ["sm.grouping=predication"],
    "compaction": ["sm.grouping=thread_block_compaction", "sm.hazards=full_masks", "sm.order=sticky_round_robin"],
    "compaction_barrel": ["sm.grouping=thread_block_compaction", "sm.hazards=one_in_flight", "sm.order=sticky_round_robin",
                          "sm.shape=barrel", "sm.schedulers=1"],
    "formation": ["sm.grouping=dynamic_warp_formation", "sm.hazards=full_masks"],
    "formation_majority": ["sm.grouping=dynamic_warp_formation", "sm.hazards=one_in_flight", "sm.order=majority", "sm.shape=barrel",
                           "sm.schedulers=1"],
    "formation_priority": ["sm.grouping=dynamic_warp_formation", "sm.hazards=one_in_flight", "sm.order=post_dominator_priority",
                           "sm.shape=barrel", "sm.schedulers=1"],
    "subdivision": ["sm.grouping=warp_subdivision", "sm.hazards=full_masks"],
    "subdivision_barrel": ["sm.grouping=warp_subdivision", "sm.hazards=one_in_flight", "sm.shape=barrel", "sm.schedulers=1"],
    "subdivision_memory": ["sm.grouping=warp_subdivision", "sm.hazards=one_in_flight", "sm.shape=barrel", "sm.schedulers=1",
                           "sm.warp_subdivision.at_memory=true"],
    "subdivision_serial": ["sm.grouping=warp_subdivision", "sm.hazards=one_in_flight", "sm.shape=barrel", "sm.schedulers=1",
                           "sm.warp_subdivision.at_memory=true", "sm.warp_subdivision.at_branches=false"],
    "subdivision_two": ["sm.grouping=warp_subdivision", "sm.hazards=full_masks", "sm.warp_subdivision.splits=2"],
    "large512": ["sm.grouping=large_warps", "sm.hazards=in_flight_bits", "sm.warp_size=512", "sm.shape=barrel", "sm.schedulers=1",
                 "sm.residency.threads=1024", "sm.large_warps.pack=arbitrary", "sm.large_warps.branch_refetch=divergent",
                 "sm.large_warps.memory_refetch=all"],
    "large_plain": ["sm.grouping=large_warps", "sm.hazards=in_flight_bits", "sm.warp_size=128", "sm.shape=barrel", "sm.schedulers=1",
                    "sm.residency.threads=1024", "sm.large_warps.jump_token=false", "sm.large_warps.memory_rows=false"],
    "large_rows": ["sm.grouping=large_warps", "sm.hazards=in_flight_bits", "sm.warp_size=64", "sm.shape=barrel", "sm.schedulers=1",
                   "sm.residency.threads=1024", "sm.large_warps.pack=rows", "sm.large_warps.memory_refetch=all"],
    "refetch": ["sm.shape=barrel", "sm.schedulers=1", "sm.refetch=3"],
    "large": ["sm.grouping=large_warps", "sm.hazards=in_flight_bits", "sm.warp_size=256", "sm.shape=barrel", "sm.schedulers=1",
              "sm.residency.threads=1024"],
}


# Changes that must not affect results or cycles. Not part of --variants all; unavailable in a build without Verilator.
INTERWEAVING_BLOCKS = ["context_sorter", "secondary_lookup", "dependency_step"]
RTL_VARIANTS = {
    "packer_rtl": ["sm.blocks.packer=rtl"],
    "packer_lockstep": ["sm.blocks.packer=lockstep"],
    "prefix_sum_rtl": ["sm.blocks.prefix_sum=rtl"],
    "prefix_sum_lockstep": ["sm.blocks.prefix_sum=lockstep"],
    "interweaving_rtl": [f"sm.blocks.{block}=rtl" for block in INTERWEAVING_BLOCKS],
    "interweaving_lockstep": [f"sm.blocks.{block}=lockstep" for block in INTERWEAVING_BLOCKS],
    "ganging_rtl": ["sm.blocks.pc_coalescer=rtl", "sm.blocks.gang_issue=rtl"],
    "ganging_lockstep": ["sm.blocks.pc_coalescer=lockstep", "sm.blocks.gang_issue=lockstep"],
    "resizing_rtl": ["sm.blocks.partner_synch=rtl", "sm.blocks.mask_merge=rtl"],
    "resizing_lockstep": ["sm.blocks.partner_synch=lockstep", "sm.blocks.mask_merge=lockstep"],
    "locality_rtl": ["sm.blocks.victim_lookup=rtl", "sm.blocks.score_cutoff=rtl"],
    "locality_lockstep": ["sm.blocks.victim_lookup=lockstep", "sm.blocks.score_cutoff=lockstep"],
    "arbiter_rtl": ["sm.order=two_level_rotating_rtl"],
    "arbiter4_rtl": ["sm.order=two_level_rotating_rtl", "sm.two_level_rotating_rtl.group_size=1",
                     "sm.two_level_rotating_rtl.timeout=32768"],
}

UNFIT = "does not fit"


def may_never_end(program, variant):
    """Whether spinning contexts could fill a limit forever and so exclude the holder of the lock."""
    return "lock" in program["constructs"] and "static_limit" in variant.split("+")


def settings_of(variant):
    """The settings of "variant", "order" or "variant+order"."""
    settings = []
    for part in variant.split("+"):
        settings += VARIANTS.get(part) or RTL_VARIANTS.get(part) or ([f"sm.order={part}"] if part in ORDERS else [])
    return [f"--set={setting}" for setting in settings]


def base_of(variant):
    """The variant without RTL; "as published" if nothing else remains."""
    return "+".join(part for part in variant.split("+") if part not in RTL_VARIANTS) or "as published"


def resolved(heddle, machine, variant):
    """The resolved machine without the origins of its values; UNFIT if the combination is refused."""
    done = subprocess.run([heddle, "config", "--machine", machine, *settings_of(variant)], capture_output=True, text=True)
    if done.returncode == 100:
        return UNFIT
    done.check_returncode()

    def values(node):
        if isinstance(node, dict):
            return values(node["value"]) if "value" in node else {key: values(node[key]) for key in node}
        return [values(element) for element in node] if isinstance(node, list) else node

    return json.dumps(values(json.loads(done.stdout)))


def different_machines(heddle, machine, variants):
    """Omits variants that give the same machine as another, and those that the machine refuses."""
    seen = {UNFIT: None}
    for variant in variants:
        seen.setdefault(resolved(heddle, machine, variant), variant)
    del seen[UNFIT]
    return list(seen.values())


@functools.lru_cache(maxsize=None)
def has_dram(heddle, machine):
    """Whether the machine issues DRAM commands to check. Variants do not change the memory."""
    return json.loads(resolved(heddle, machine, ""))["memory"]["main_memory"] == "dram"


def reads_profile(machine, variant):
    """Whether the machine schedules by a profile of the program's loops."""
    return machine == "daws-profiled" or "daws_profiled" in variant.split("+")


def profile_settings(heddle, program, machine, variant, folder, timeout=None):
    """Options that name the profile which the machine schedules by, made here in the folder by a run of the program; none if it needs none."""
    if not reads_profile(machine, variant):
        return []
    loops = f"{folder}/loops.json"
    subprocess.run([heddle, "profile-loops", "--machine", machine, *settings_of(variant), "--set=sm.vetoes=[]", "--loops", loops,
                    program, "--size", "small"], capture_output=True, timeout=timeout)
    return [f"--set=sm.divergence_aware.profile={loops}"]


def run(job):
    heddle, folder, program, machine, variant, timeout, judge, reads_counts = job
    command = [heddle, "run", "--machine", machine, *settings_of(variant)]
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as results:
        trace = f"{results}/commands.csv"
        judged = judge and has_dram(heddle, machine)
        if judged:
            command += ["--command-trace", trace]
        if judged or reads_counts:
            command += ["--output", results]
        command += profile_settings(heddle, f"{folder}/{program['name']}", machine, variant, results, timeout)
        try:
            done = subprocess.run([*command, f"{folder}/{program['name']}", "--size", "small"], capture_output=True,
                                  text=True, timeout=timeout)
            output, status = done.stdout + done.stderr, done.returncode
        except subprocess.TimeoutExpired as error:
            output, status = f"{error.stdout}\nno end after {timeout} s", 124
        seconds = time.monotonic() - start
        verdict = counts = None
        if reads_counts and status == 0:
            counts = json.loads(Path(results, "run.json").read_text(encoding="utf-8"))
        if judged and status == 0:
            verdict = subprocess.run([judge, trace, f"{results}/run.json"], capture_output=True, text=True)
    cycles = re.search(r": (\d+) cycles,", output)
    last = re.search(r"^(\S+) (PASS|FAIL) .*digest=([0-9a-f]+)", output, re.M)
    problem = None
    if status == 100:
        problem = f"{UNFIT}: {output.strip().splitlines()[-1]}"
    elif status != 0 or last is None or last.group(2) != "PASS":
        problem = f"status {status}: " + " | ".join(line for line in output.strip().splitlines()[-3:])
    elif not program["order_dependent"] and last.group(3) != program.get("small_digest", last.group(3)):
        problem = f"digest {last.group(3)}, the reference has {program['small_digest']}"
    elif verdict and verdict.returncode != 0:
        problem = "memory commands: " + " | ".join((verdict.stdout + verdict.stderr).strip().splitlines()[-3:])
    return program["name"], machine, variant, seconds, problem, cycles and int(cycles.group(1)), counts


def sample(jobs, count, same_programs):
    """`count` programs of each machine and variant, chosen by the commit. same_programs: the same ones for all variants of a machine."""
    commit = by_commit.commit()
    print(f"{count} programs of each machine and variant, chosen by the commit {commit}", flush=True)

    def group(job):
        return job[3], "" if same_programs else job[4]

    programs = {}
    for job in jobs:
        programs.setdefault(group(job), {})[job[2]["name"]] = None
    taken = {key: set(by_commit.chosen(names, count, f"{commit} {' '.join(key)}")) for key, names in programs.items()}
    return [job for job in jobs if job[2]["name"] in taken[group(job)]]


class Golden:
    """The golden record."""

    def __init__(self):
        import golden  # which imports this module
        self.golden, self.runs = golden, golden.read_record()

    def compare(self, key, run):
        """How the run differs, "" if it does not; None: the record does not have it."""
        if key not in self.runs:
            return None
        lines = list(self.golden.differences(self.runs[key], self.golden.of_run(run)))
        more = [f"and {len(lines) - self.golden.SHOWN} more"] if len(lines) > self.golden.SHOWN else []
        return "differs from the golden record: " + " | ".join(lines[:self.golden.SHOWN] + more) if lines else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heddle")
    parser.add_argument("folder")
    parser.add_argument("catalogue")
    parser.add_argument("--machines", default="small")
    parser.add_argument("--variants", default="")
    parser.add_argument("--orders", default="", help="each variant with each of these issue orders as well")
    parser.add_argument("--programs", default="")
    parser.add_argument("--shard", default="1/1", help="I/N: every Nth run, from the Ith on")
    parser.add_argument("--sample", type=int, default=0, metavar="K", help="K programs of each machine and variant, others for each commit")
    parser.add_argument("--list", action="store_true", help="print what would run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--judge", default="", help="the command checker: every run's commands to memory must be legal, and "
                        "its counters what they add up to")
    parser.add_argument("--same-cycles", action="store_true", help="every variant takes the cycles of the one before it that is the "
                        "same but for RTL")
    parser.add_argument("--golden", action="store_true", help="cycles and counters equal those of the golden record (golden.py)")
    parser.add_argument("--timeout", type=float, default=120)
    options = parser.parse_args()
    with open(options.catalogue, encoding="utf-8") as file:
        programs = json.load(file)["programs"]
    if options.programs:
        wanted = options.programs.split(",")
        programs = [p for p in programs if p["name"] in wanted]
    machines = PRESETS if options.machines == "all" else options.machines.split(",")
    variants = list(VARIANTS) if options.variants == "all" else [v for v in options.variants.split(",") if v]
    orders = ORDERS if options.orders == "all" else [o for o in options.orders.split(",") if o]
    if orders:
        variants = ["as published"] + variants
        variants = [f"{variant}+{order}" for variant in variants if variant not in ORDERS for order in orders] + variants
    elif not variants:
        variants = ["as published"]
    product = options.machines == "all" and len(variants) > 1
    jobs = [(options.heddle, options.folder, p, m, v, options.timeout, options.judge, options.golden)
            for m in machines for v in (different_machines(options.heddle, m, variants) if product else variants) for p in programs
            if not may_never_end(p, v)]
    first, step = (int(number) for number in options.shard.split("/"))
    jobs = jobs[first - 1::step]
    if options.sample:
        jobs = sample(jobs, options.sample, options.same_cycles)
    if options.list:
        for _, _, program, machine, variant, *_ in jobs:
            print(f"{program['name']} on {machine} ({variant})")
        return 0
    golden, compared = Golden() if options.golden else None, 0
    failed, ran, unfit, taken = 0, set(), set(), {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, machine, variant, seconds, problem, cycles, counts in pool.map(run, jobs):
            if golden and not problem and (known := golden.compare((name, machine, variant), counts)) is not None:
                compared += 1
                problem = known
            if options.same_cycles and not problem and cycles is None:
                problem = "no cycles were reported"
            elif options.same_cycles and not problem and taken.setdefault((name, machine, base_of(variant)), cycles) != cycles:
                problem = f"{cycles} cycles, without RTL {taken[name, machine, base_of(variant)]}"
            if product and problem and problem.startswith(UNFIT):
                unfit.add((machine, variant))
                continue
            ran.add(variant)
            if problem:
                failed += 1
                print(f"FAILED {name} on {machine} ({variant}), {seconds:.1f} s: {problem}", flush=True)
    bases = {variant.split("+")[0] for _, variant in unfit} - {variant.split("+")[0] for variant in ran}
    for variant in sorted(bases) if step == 1 and not options.sample else []:
        failed += 1
        print(f"FAILED {variant}: fits no machine that was tried", flush=True)
    left_out = f", {len(unfit)} variants left out on machines that they do not fit" if unfit else ""
    in_record = f", {compared} compared with the record" if golden else ""
    print(f"{len(jobs)} runs, {failed} failed{left_out}{in_record}")
    if golden and compared == 0:
        print("FAILED: the record has none of these")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
