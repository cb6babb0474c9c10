# SPDX-License-Identifier: Apache-2.0
"""A clone with the driver and nothing to build, and a folder of programs that stand in for those of the distribution."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
FILES = ["heddle", "tools/prebuilt.sh", "tools/source_commit.sh"]


class Clone(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="heddle-driver-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.clone = self.folder / "place/clone"  # a folder of its own beside the clone
        self.stand_ins = self.folder / "bin"
        for file in FILES:
            (self.clone / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, self.clone / file)
        self.write("CMakeLists.txt", "project(heddle VERSION 1.2.3 LANGUAGES CXX)\n")
        self.write("models/model.cpp", "int model;\n")
        self.write(".gitignore", "/build/\n/out/\n*.deb\n")
        # Packages are found, and nothing is asked of the network.
        self.stand_in("dpkg-query", "echo installed")
        self.stand_in("apt-get", "exit 1")
        # A build: the program says that it is the clone's.
        self.stand_in("cmake", f"mkdir -p '{self.clone}/build/release/bin'; touch '{self.clone}/build/release/build.ninja'\n"
                               f"printf '#!/bin/sh\\necho own build: $*\\n' >'{self.clone}/build/release/bin/heddle'\n"
                               f"chmod +x '{self.clone}/build/release/bin/heddle'")

    def write(self, name, text):
        file = self.clone / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def stand_in(self, name, script):
        self.stand_ins.mkdir(exist_ok=True)
        file = self.stand_ins / name
        file.write_text(f"#!/bin/bash\n{script}\n")
        file.chmod(0o755)

    def git(self, *arguments):
        done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=self.clone, check=True,
                              capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self):
        if not (self.clone / ".git").exists():
            self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "a commit")
        return self.git("rev-parse", "HEAD")

    def heddle(self, *arguments, **environment):
        surroundings = {"PATH": f"{self.stand_ins}:/usr/bin:/bin", "HOME": str(self.folder), **environment}
        kept = {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
        return subprocess.run([self.clone / "heddle", *arguments], cwd=self.clone, env={**kept, **surroundings}, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL)
