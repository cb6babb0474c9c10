#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds and runs typical projects, changing nothing but the path of the toolkit. usage: projects_test.py HEDDLE
[unittest arguments]
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
HEDDLE = None  # set at the end


class Projects(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="projects-"))
        shutil.copytree(HERE, self.folder, dirs_exist_ok=True)
        # As on a machine without a toolkit: these names alone must suffice.
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("CUDA", "NVCC", "HEDDLE_"))}
        self.cuda = self.run_command([HEDDLE, "cc", "--print-cuda-path"]).strip()

    def tearDown(self):
        shutil.rmtree(self.folder)

    def run_command(self, command, folder=".", **environment):
        ended = subprocess.run(command, cwd=self.folder / folder, capture_output=True, text=True, timeout=500,
                               env={**self.environment, **environment})
        self.assertEqual(ended.returncode, 0, f"{command}\n{ended.stdout[-3000:]}\n{ended.stderr[-3000:]}")
        return ended.stdout

    def passes(self, program, folder="."):
        """Runs the program by itself and under heddle run."""
        said = self.run_command([program], folder, HEDDLE_FUNCTIONAL="1", HEDDLE_QUIET="1")
        self.assertTrue(said.endswith("PASS\n"), said)
        said = self.run_command([HEDDLE, "run", "--quiet", "--functional", program], folder)
        self.assertTrue(said.endswith("PASS\n"), said)

    def test_the_folder_is_laid_out_as_a_toolkit(self):
        for name in ("bin/nvcc", "include/cuda_runtime.h", "lib64/libcudart.so", "lib64/libcudart_static.a"):
            self.assertTrue(os.path.exists(os.path.join(self.cuda, name)), name)

    def test_a_single_file(self):
        self.run_command([HEDDLE, "cc", "hello.cu", "-o", "hello"], "single")
        self.passes("./hello", "single")

    def test_a_makefile_that_wants_the_folder_of_the_toolkit(self):
        folder = "samples/Samples/scale"
        self.run_command(["make", f"CUDA_PATH={self.cuda}"], folder)
        self.passes("./scale", folder)
        self.assertIn(".entry", (self.folder / folder / "scale.fatbin").read_text())
        self.assertEqual(self.run_command(["make", "-s", f"CUDA_PATH={self.cuda}", "version"], folder), "11.8\n")

    def test_a_makefile_that_takes_the_compiler(self):
        folder = "samples/Samples/scale"
        self.run_command(["make", f"NVCC={HEDDLE} cc"], folder)
        self.passes("./scale", folder)

    def test_separable_compilation(self):
        self.run_command(["make", f"CUDA_PATH={self.cuda}"], "separable")
        self.passes("./by_nvcc", "separable")
        self.passes("./by_gxx", "separable")

    def test_a_symbol_that_two_files_define_is_an_error_of_the_link(self):
        (self.folder / "separable" / "again.cu").write_text("__device__ int counter = 6;\n")
        self.run_command(["make", f"CUDA_PATH={self.cuda}", "main.o", "symbols.o", "again.o", "libparts.a", "libplugin.so"],
                         "separable")
        ended = subprocess.run([f"{self.cuda}/bin/nvcc", "main.o", "symbols.o", "again.o", "-L.", "-lparts", "-lplugin"],
                               cwd=self.folder / "separable", env=self.environment, capture_output=True, text=True)
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("counter", ended.stderr)

    def test_cuda_as_a_language_of_cmake(self):
        for generator, more in (("Ninja", []), ("Unix Makefiles", ["-DCMAKE_CUDA_ARCHITECTURES=60;70;80"])):
            build = f"build-{len(more)}"
            said = self.run_command(["cmake", "-S", "cmake_language", "-B", build, "-G", generator,
                                     f"-DCMAKE_CUDA_COMPILER={self.cuda}/bin/nvcc", *more])
            self.assertIn("imported CUDA::cudart", said)
            for library, name in (("cuda_driver", "libcuda.so"), ("curand", "libcurand.so"), ("nvrtc", "libnvrtc.so")):
                there = os.path.exists(os.path.join(self.cuda, "lib64", name))
                self.assertEqual(f"imported CUDA::{library}\n" in said, there, library)
            self.run_command(["cmake", "--build", build, "-j2"])
            self.passes("./program", build)
            self.passes("./host", build)

    def test_native_is_the_machine_of_the_model(self):
        said = self.run_command(["cmake", "-S", "cmake_language", "-B", "build", "-G", "Ninja",
                                 f"-DCMAKE_CUDA_COMPILER={self.cuda}/bin/nvcc", "-DCMAKE_CUDA_ARCHITECTURES=native"])
        self.assertIn("Configuring done", said)
        self.run_command(["cmake", "--build", "build", "--target", "host"])
        self.passes("./host", "build")

    def test_find_package_cuda_of_old(self):
        said = self.run_command(["cmake", "-S", "find_cuda", "-B", "build", f"-DCUDA_TOOLKIT_ROOT_DIR={self.cuda}"])
        self.assertIn("CUDA 11.8", said)
        self.run_command(["cmake", "--build", "build"])
        self.passes("./program", "build")


if __name__ == "__main__":
    HEDDLE = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
