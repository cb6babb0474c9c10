# SPDX-License-Identifier: Apache-2.0
"""Tests of the code shared by studies, of the rules of the large-warps study that are more than a comparison, and that those of
locality scheduling judge every target of their page."""
import argparse
import contextlib
import importlib.util
import io
import json
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "large-warps")]
import examples  # noqa: E402
import machines  # noqa: E402
from study import RunFailed, Runs, Study, digest_of, output_of  # noqa: E402

FAILING = [sys.executable, "-c", "import sys; print('half way'); sys.exit('the reason')"]


def target(name, source, **tolerance):
    return {"id": name, "what": name, "unit": "", "source": source, "tolerance": tolerance}


class AFailedRun(unittest.TestCase):
    def setUp(self):
        self.study = Study({name: target(name, 1, points=1) for name in ("a", "b", "c")} | {"d": target("d", ["x", "y"], order=True)})
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def finish(self):
        """Returns the status, the output, and the results by target."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            status = self.study.finish(pathlib.Path(self.folder.name))
        with open(f"{self.folder.name}/results.json", encoding="utf-8") as file:
            return status, printed.getvalue(), {result["id"]: result for result in json.load(file)}

    def test_is_named_with_what_it_said(self):
        with self.assertRaisesRegex(RunFailed, r"(?s)^prog --size small on m: status 1\n.*half way.*the reason$"):
            output_of(FAILING, "prog --size small on m")

    def test_may_be_of_a_program_that_is_not_there(self):
        with self.assertRaisesRegex(RunFailed, "^prog on m: .*No such file"):
            output_of([f"{self.folder.name}/none"], "prog on m")
        with self.assertRaisesRegex(RunFailed, "/none: No such file"):
            digest_of(pathlib.Path(self.folder.name) / "none")

    def test_costs_the_targets_that_need_it_and_no_others(self):
        runs = Runs()
        runs.start("bad", output_of, FAILING, "prog on m")
        runs.start("good", output_of, [sys.executable, "-c", "print(1.5)"], "prog on n")
        self.study.value("a", lambda: float(runs["bad"]))
        self.study.value("b", lambda: float(runs["good"]))
        self.study.judged("c", lambda: float(runs["good"]), lambda model: model > 2, "more than two")
        self.study.order("d", lambda: {"x": float(runs["good"]), "y": float(runs["bad"])})
        status, printed, results = self.finish()
        self.assertEqual(status, 1)
        self.assertEqual([results[name]["holds"] for name in "abcd"], [False, True, False, False])
        self.assertEqual(results["a"]["error"], "prog on m: status 1")
        self.assertIsNone(results["a"]["model"])
        self.assertEqual(results["b"]["model"], 1.5)
        self.assertNotIn("error", results["c"])
        self.assertIn("not measured: a, d\n", printed)
        self.assertEqual(printed.count("failed: prog on m: status 1\n"), 1)
        self.assertIn("the reason", printed)
        self.assertIn("| a | 1 | not measured |", printed)

    def test_of_a_part_leaves_what_the_part_has_not_come_to(self):
        def part(study):
            study.value("a", 1)
            output_of(FAILING, "prog on m")
            study.value("b", 1)

        self.study.part(part, self.study)
        self.study.part(lambda: self.study.value("c", 1))
        self.study.order("d", {"x": 2, "y": 1})
        status, printed, results = self.finish()
        self.assertEqual(status, 1)
        self.assertEqual([results[name]["holds"] for name in "abcd"], [True, False, True, True])
        self.assertEqual(results["b"]["error"], "prog on m: status 1")
        self.assertIn("not measured: b\n", printed)

    def test_is_none_where_all_is_measured(self):
        for name in "abc":
            self.study.value(name, 5)
        self.study.order("d", {"x": 1, "y": 2})
        status, printed, results = self.finish()
        self.assertEqual(status, 0, "targets that do not hold are results")
        self.assertFalse(any(result["holds"] for result in results.values()))
        self.assertNotIn("not measured", printed)

    def test_is_not_what_an_error_of_the_study_is(self):
        with self.assertRaises(ZeroDivisionError):
            self.study.value("a", lambda: 1 / 0)


class LanesOfASlot(unittest.TestCase):
    def test_are_sorted_as_the_page_sorts_them(self):
        shares = machines.by_lanes({"W0_idle": 1, "W0_scoreboard": 2, "W0_no_thread": 3, "W1-4": 4, "W5-8": 6, "W9-12": 5, "W17-20": 9, "W21-24": 1,
                                    "W25-28": 2, "W29-31": 3, "W32": 8, "W33-36": 2, "W253-255": 1, "W256": 3})
        self.assertEqual(shares, {"0": 12, "1-8": 20, "9-16": 10, "17-24": 20, "25-31": 10, "32": 28})


class Formation(unittest.TestCase):
    def test_starves_where_the_rare_come_after_the_others_have_ended(self):
        self.assertTrue(examples.starves([26, 106]))
        self.assertFalse(examples.starves([26, 100]))
        self.assertFalse(examples.starves([101, 106]), "the baseline does too")

    def test_spreads_out_only_where_it_does_for_every_cause(self):
        spread, together = [4, 4, 8, 24], [8, 12, 4, 12]
        self.assertTrue(examples.spreads_out({"loops": spread, "nested": spread}))
        self.assertFalse(examples.spreads_out({"loops": spread, "nested": together}))
        self.assertFalse(examples.spreads_out({"loops": [4, 4, 24, 24]}), "who lags does not fall back further")
        self.assertFalse(examples.spreads_out({"loops": [4, 12, 8, 24]}), "no more than twice the baseline")


@contextlib.contextmanager
def locality_study(name):
    """The module of a study of locality scheduling, whose modules have names that other studies use, too."""
    kept = {module: sys.modules.pop(module, None) for module in ("figures", "machines", "programs")}
    path = list(sys.path)
    sys.path[:0] = [str(HERE / "locality"), str(HERE / name)]
    spec = importlib.util.spec_from_file_location("locality_study", HERE / name / "study.py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        yield module, sys.modules["machines"]
    finally:
        sys.path[:] = path
        for each, known in kept.items():
            sys.modules.pop(each, None)
            if known is not None:
                sys.modules[each] = known


def no_run(*_, **__):
    raise RunFailed("no run")


class StudiesOfLocality(unittest.TestCase):
    def test_come_to_every_target(self):
        for name in ("cache-conscious", "divergence-aware", "spmv-case"):
            for quick in (False, True):
                with locality_study(name) as (study_of, _):
                    got = study_of.Measurements(quick, 1)
                    got._measure = no_run
                    got.runs.start = lambda key, function, *arguments: got.runs._runs.setdefault(key, Failed())
                    study = Study(study_of.measured())
                    for unknown in ("values_of", "largest_table"):
                        setattr(study_of, unknown, no_run)
                    got.start_all()
                    study_of.judge(study, got)
                    self.assertEqual(set(study.targets) - set(study.results), set(), name)

    def test_have_rules_for_curves(self):
        with locality_study("spmv-case") as (_, machines):
            self.assertTrue(machines.peaks_inside([1, 1.3, 1.1], 2))
            self.assertFalse(machines.peaks_inside([1, 1.1, 1.3], 2))
            self.assertFalse(machines.peaks_inside([1.3, 1.31, 1.1], 2), "hardly above the first")
            self.assertTrue(machines.up([1, 1.5, 1.49, 2], 2))
            self.assertFalse(machines.up([1, 1.5, 1.4, 2], 2))
            self.assertTrue(machines.down([2, 1.5, 1.4], 2))
            self.assertTrue(machines.ranked([["a", "b"], ["c"]], {"a": 3, "b": 2, "c": 1}))
            self.assertFalse(machines.ranked([["a", "b"], ["c"]], {"a": 3, "b": 1, "c": 2}))

    def test_take_a_table_of_energies_only_whole(self):
        with locality_study("spmv-case") as (_, machines), tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "energies.json"
            for table in ({}, dict.fromkeys(machines.OPERATIONS, -1), dict.fromkeys(machines.OPERATIONS, "much"), []):
                file.write_text(json.dumps(table), encoding="utf-8")
                with self.assertRaises(SystemExit):
                    machines.energies(argparse.Namespace(energies=file))
            file.write_text(json.dumps(dict.fromkeys(machines.OPERATIONS, 2)), encoding="utf-8")
            self.assertEqual(machines.energies(argparse.Namespace(energies=file))["l2_hit"], 2)
            self.assertIsNone(machines.energies(argparse.Namespace(energies=None)))


class Failed:
    """A run that failed."""

    def result(self):
        raise RunFailed("no run")


class LeftOut(unittest.TestCase):
    def test_neither_holds_nor_counts(self):
        study = Study({name: target(name, 1, points=1) for name in ("a", "b")})
        study.value("a", 1)
        study.left_out("b", "the reason")
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            self.assertEqual(study.finish(pathlib.Path(folder)), 0)
        self.assertIn("1 of 1 hold; 1 cannot be measured", printed.getvalue())
        self.assertIn("| b | 1 | cannot be measured: the reason |", printed.getvalue())
        self.assertIsNone(study.results["b"]["holds"])


if __name__ == "__main__":
    unittest.main()
