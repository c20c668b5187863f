"""How a study stands: told and used evaluations add up."""

from __future__ import annotations

from shared import studies

from conewise.cli.standing import as_rows
from conewise.report.subject import of_study


def test_told_and_used_evaluations_add_up_or_the_report_says_why(tmp_path):
    with studies.make(tmp_path / "gap.db") as study:
        batch = study.ask(30)
        study.tell(batch, studies.values_of(batch))
        handed = study.ask(90)
        missing = list({e.design: e for e in reversed(handed)}.values())  # the first of each design
        later = [e for e in handed if e not in missing]
        study.tell(later, studies.values_of(later))
        status = study.status()
        assert status.evaluations - status.result.evaluations == len(later) > 1
        used, wait = len(batch), len(later)
        expected = (
            f"The answer rests on {used} of the {used + wait} told evaluations; {wait} wait for an earlier evaluation "
            "of the same design that is not told yet, since a design's evaluations count in the order of their numbers."
        )
        assert expected in of_study(study).sentences
        assert expected in dict(as_rows(study, status)).values()
        study.tell(missing, studies.values_of(missing))
        assert not [line for line in of_study(study).sentences if "rests on" in line]
