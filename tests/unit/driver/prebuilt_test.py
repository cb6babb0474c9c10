#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""./heddle with a prebuilt program: only one of the clone's commit stands in for a build, and never for changed sources."""
import shutil
import subprocess
import unittest

from clone import Clone

OTHER = "0123456789abcdef0123456789abcdef01234567"


class Prebuilt(Clone):
    def prefix(self, folder, commit, says=None):
        """Heddle of a commit, installed into a folder; its program states `says`."""
        program = folder / "bin/heddle"
        program.parent.mkdir(parents=True)
        program.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "heddle 1.2.3 (commit {says or commit})" && exit\necho prebuilt: $*\n')
        program.chmod(0o755)
        (folder / "share/heddle").mkdir(parents=True)
        (folder / "share/heddle/commit").write_text(f"{commit}\n")

    def package(self, folder, commit):
        """The Debian package of a commit; its path."""
        tree = self.folder / f"tree-{commit}"
        self.prefix(tree / "usr", commit)
        (tree / "usr/lib/heddle").mkdir(parents=True)
        (tree / "DEBIAN").mkdir()
        (tree / "DEBIAN/control").write_text("Package: heddle\nVersion: 1.2.3\nArchitecture: all\nMaintainer: a <a@b>\nDepends: clang-14\n"
                                             "Description: a model\n")
        architecture = subprocess.run(["dpkg", "--print-architecture"], check=True, capture_output=True, text=True).stdout.strip()
        file = folder / f"heddle_1.2.3_{architecture}.deb"
        subprocess.run(["dpkg-deb", "--build", "--root-owner-group", tree, file], check=True, capture_output=True)
        return file

    def install(self, commit, says=None):
        """As apt does, where the PATH finds it."""
        self.prefix(self.folder / "installed", commit, says)
        (self.stand_ins / "heddle").symlink_to(self.folder / "installed/bin/heddle")

    def assert_prebuilt(self, done, what):
        self.assertEqual(done.stdout, "prebuilt: machines\n", done.stderr)
        self.assertIn(f"using {what}", done.stderr)
        self.assertIn("./heddle build", done.stderr)

    def assert_own(self, done, why):
        self.assertEqual(done.stdout, "own build: machines\n", done.stderr)
        self.assertIn(why, done.stderr)

    def test_an_installed_program_of_the_commit_is_used(self):
        self.install(self.commit())
        self.assert_prebuilt(self.heddle("machines"), self.folder / "installed/bin/heddle")
        self.assertFalse((self.clone / "build/release").exists())

    def test_one_of_another_commit_is_not(self):
        self.commit()
        self.install(OTHER)
        self.assert_own(self.heddle("machines"), f"is not used: it was built from {OTHER}")

    def test_nor_when_a_source_of_the_program_is_changed_or_added(self):
        self.install(self.commit())
        self.write("models/another.cpp", "int another;\n")
        self.assert_own(self.heddle("machines"), "is not used: sources in this clone are modified")

    def test_a_change_elsewhere_does_not_matter(self):
        self.install(self.commit())
        self.write("workloads/mine.cu", "int main() {}\n")
        self.assert_prebuilt(self.heddle("machines"), self.folder / "installed/bin/heddle")

    def test_one_built_from_modified_sources_never_is(self):
        commit = self.commit()
        self.install(f"{commit}-modified")
        self.write("models/model.cpp", "int changed;\n")
        self.assert_own(self.heddle("machines"), "is not used")

    def test_a_folder_without_a_repository_has_no_commit(self):
        self.install("unknown")
        self.assert_own(self.heddle("machines"), "the commit of this folder is not known")

    def test_a_program_that_states_another_commit_than_it_came_with_is_not_used(self):
        self.install(self.commit(), says=OTHER)
        self.assert_own(self.heddle("machines"), "is not of the commit that it came with")

    def test_the_clones_own_build_comes_first(self):
        self.install(self.commit())
        self.assertEqual(self.heddle("build").returncode, 0)
        done = self.heddle("machines")
        self.assertEqual((done.stdout, done.stderr), ("own build: machines\n", ""))

    def test_build_and_test_do_not_take_it(self):
        self.install(self.commit())
        self.stand_in("ctest", "echo tested")
        done = self.heddle("test", "--fast")
        self.assertIn("tested", done.stdout)
        self.assertNotIn("using", done.stderr)
        self.assertTrue((self.clone / "build/release/bin/heddle").exists())

    @unittest.skipUnless(shutil.which("dpkg-deb"), "there is no dpkg-deb")
    def test_a_package_beside_the_clone_is_unpacked_with_what_it_depends_on(self):
        self.stand_in("apt-get", f"echo \"$@\" >>'{self.folder}/apt'; case \"$*\" in *simulate*) echo Inst clang-14 ;; esac")
        self.stand_in("id", "echo 0")
        package = self.package(self.clone.parent, self.commit())
        self.assert_prebuilt(self.heddle("machines"), package)
        self.assertIn("-y --no-install-recommends satisfy clang-14", (self.folder / "apt").read_text())
        unpacked = self.clone / "build/prebuilt/usr"
        self.assertEqual((unpacked / "lib/heddle/libcudart_static.a").read_text(), f'INPUT("{unpacked}/lib/heddle/libcudart.so")\n')
        (self.folder / "apt").unlink()
        self.assert_prebuilt(self.heddle("machines"), package)
        self.assertFalse((self.folder / "apt").exists(), "it is unpacked once")

    @unittest.skipUnless(shutil.which("dpkg-deb"), "there is no dpkg-deb")
    def test_a_package_whose_dependencies_cannot_be_met_is_not_used(self):
        self.package(self.clone.parent, self.commit())
        self.assert_own(self.heddle("machines"), "is not used: what it depends on cannot be installed here")

    @unittest.skipUnless(shutil.which("dpkg-deb"), "there is no dpkg-deb")
    def test_a_named_package_comes_before_the_clones_own_build(self):
        self.stand_in("apt-get", "exit 0")
        commit = self.commit()
        self.heddle("build")
        place = self.folder / "elsewhere"
        place.mkdir()
        package = self.package(place, commit)
        for named in (place, package):
            self.assert_prebuilt(self.heddle("machines", HEDDLE_PACKAGE=str(named)), package)

    def test_a_named_package_must_exist(self):
        self.commit()
        done = self.heddle("machines", HEDDLE_PACKAGE=str(self.folder))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("HEDDLE_PACKAGE", done.stderr)


if __name__ == "__main__":
    unittest.main()
