"""A page about a study: how sure it is of a design, what it would evaluate next, and the command that hands it out."""

from __future__ import annotations

import shlex
import subprocess
import sys

import numpy as np
from shared.browser import screenshot, serious_violations
from shared.explorer import drawn, exploring, mentions, point_at, reads, visiting
from shared.studies import make, values_of


def test_a_study_says_how_sure_it_is_and_what_comes_next(chromium, tmp_path):
    with (
        make(tmp_path / "trial.db") as study,
        exploring(tmp_path / "trial.db") as address,
        visiting(chromium, address) as page,
    ):
        reads(page, "#duel-words", "No design has values yet.")
        batch = study.ask(30)
        study.tell(batch, values_of(batch))
        mentions(page, "#standing", f"Live: {len(batch)} evaluations told")
        reads(page, "#designs", "6")
        plan = study.plan(20)
        for k, times in zip(plan.designs.tolist(), plan.counts.tolist(), strict=True):
            mentions(page, "#next", f"{study.names[k]} {times} time")
        mentions(page, "#next-words", f"The {plan.total} evaluations that are worth most now")
        status, errors = study.result().status, study.guess().standard_errors
        x, y = point_at(page, "b")
        k = study.names.index("b")
        assert status[k] == "undecided"  # although the averages beat it
        reads(page, "#legend-undecided", f"undecided ({status.tolist().count('undecided')})")
        reads(page, "#legend-out", f"beaten ({status.tolist().count('beaten')})")
        groups = {group["colour"]: group["places"] for group in drawn(page, "look.groups")}
        assert groups["orange"] == np.flatnonzero(status == "undecided").tolist()
        assert groups["blue"] == np.flatnonzero(status == "kept").tolist()
        mentions(page, "#plot-first .tip", f"standard errors {errors[k, 0]:.5g}, {errors[k, 1]:.5g}")
        mentions(page, "#plot-first .tip", f"the study says: {status[k]}")
        assert "by the averages" not in page.locator("#plot-first .tip").inner_text()
        page.locator("#degrees-exact").fill("91")  # another preference: the study says nothing of it
        mentions(page, "#pareto-label", "by the averages so far: of this preference the study proves nothing.")
        reads(page, "#legend-stays", "remains, by the averages so far")
        assert drawn(page, "look.groups") is None
        point_at(page, "b")
        reads(page, "#plot-first .tip span:nth-of-type(3)", "beaten, by the averages")
        page.locator("#degrees-exact").fill("90")
        mentions(page, "#pareto-label", "undecided, as the study says")
        x, y = point_at(page, "b")
        page.mouse.click(x, y)
        reads(page, ".chosen-name", "b")
        mentions(page, "#selected", f"standard error {errors[k, 0]:.2g}")
        mentions(page, "#selected", f"Evaluations{len(batch) // 6}")
        assert serious_violations(page) == []
        page.evaluate("scrollTo(0, 0)")
        screenshot(page, "explorer-live")
        command = page.locator("#ask").input_value()
        words = shlex.split(command.removesuffix(" > todo.csv"))
        done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert len(done.stdout.splitlines()) > 1  # the head and evaluations to make
        mentions(page, "#standing", " in flight")
        study.release([lease.evaluation for lease in study.leases()])
        while more := study.ask(60):
            study.tell(more, values_of(more))
        mentions(page, "#next-words", "Nothing is left to evaluate: the study is finished.")
        page.locator("#asking").wait_for(state="hidden")
