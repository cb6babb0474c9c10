# SPDX-License-Identifier: Apache-2.0
"""Tests of the code shared by studies, and of the rules of the large-warps study that are more than a comparison."""
import contextlib
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


if __name__ == "__main__":
    unittest.main()
