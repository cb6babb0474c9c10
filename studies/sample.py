# SPDX-License-Identifier: Apache-2.0
"""Runs some studies at their small sizes, others for each commit.

usage: sample.py COUNT FOLDER NAME...    results go to FOLDER/results-NAME
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
import by_commit  # noqa: E402

count, folder, *names = sys.argv[1:]
commit = by_commit.commit()
picked = by_commit.chosen(names, int(count), commit)
print(f"chosen by the commit {commit}: {', '.join(picked)}", flush=True)
failed = [name for name in picked if subprocess.run([sys.executable, str(HERE / name / "study.py"), "--quick", "--no-build", "--force",
                                                     "--output", f"{folder}/results-{name}"]).returncode != 0]
sys.exit(f"failed: {', '.join(failed)}" if failed else 0)
