# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for the applications of the study of variable warp size, by the name in the source.

The source names its traces only; what it says about each is in docs/sources/variable-warp-size.md, 5.1. Classes: IPC of
divergent programs rises as warps get narrower, that of convergent ones falls, that of insensitive ones stays.
"""
import dataclasses

DIVERGENT, INSENSITIVE, CONVERGENT = "divergent", "insensitive", "convergent"
COMPACTION, SYNTHETIC = "compaction", "synthetic"  # the comparison with thread block compaction; our patterns


@dataclasses.dataclass(frozen=True)
class Program:
    kind: str
    program: str  # below the build folder
    arguments: tuple
    quick: tuple  # arguments with --quick

    def of(self, quick):
        return [str(argument) for argument in (self.quick if quick else self.arguments)]


def workload(kind, name, size, quick, *more):
    return Program(kind, f"workloads/{name}", ("--size", size, *more), ("--size", quick, *more))


def pattern(name):
    return Program(SYNTHETIC, "studies/variable-warp-size/patterns", (name,), (name, 8))


PROGRAMS = {
    "CoMD": workload(DIVERGENT, "molecular_dynamics", 640, 512),
    "Lighting": workload(DIVERGENT, "deferred_lighting", 48, 48),
    "GamePhysics": workload(DIVERGENT, "character_physics", "medium", 64),
    "ObjClassifier": workload(DIVERGENT, "decision_forest", "medium", 48),
    "Raytracing": workload(DIVERGENT, "ray_stages", 48, 32),
    "Image Proc.": workload(INSENSITIVE, "tone_mapping", "medium", 96),
    "Game 3": workload(INSENSITIVE, "particles", "medium", 4000),
    "Convolution": workload(INSENSITIVE, "convolution_columns", "medium", 256),
    "Game 4": workload(INSENSITIVE, "water_shader", "medium", 64),
    "FFT": workload(INSENSITIVE, "fft", "medium", 32),
    "Game 1": workload(CONVERGENT, "terrain_shader", "medium", 96),
    "Matrix Multiply": workload(CONVERGENT, "matmul_integer", 72, 40),
    "Game 2": workload(CONVERGENT, "depth_of_field", "medium", 64),
    "FeatureDetect": workload(CONVERGENT, "corner_detection", 128, 64),
    "Radix Sort": workload(CONVERGENT, "radix_sort", "medium", 4096),
    "NVRT": workload(COMPACTION, "ray_tracer", 44, 40, "--spheres", 400, "--reflections", 3),
    "FCDT": workload(COMPACTION, "face_detection", "medium", 48),
    "BFS": workload(COMPACTION, "bfs", "medium", 3000),
    "MGST": workload(COMPACTION, "merge_sort", "medium", 300),
    "NNC": workload(COMPACTION, "nearest_neighbor", "medium", 3000),
    "uniform streaming loads": pattern("stream"),
    "if/else on slice parity": pattern("slice_parity"),
    "if/else on lane parity": pattern("lane_parity"),
    "random trip counts": pattern("trip_counts"),
    "half exits": pattern("half_exits"),
    "hit and miss rows": pattern("mixed_rows"),
    "tiled matrix multiply": workload(SYNTHETIC, "matmul_tiled", 96, 64),
}


def of_kind(kind):
    return [name for name, program in PROGRAMS.items() if program.kind == kind]
