"""The page of misleading data is made from counts of two versions, and each cell has its interval."""

from __future__ import annotations

from benchmarks import misled


def test_the_page_shows_both_versions_with_their_intervals(tmp_path, monkeypatch):
    monkeypatch.setattr(misled, "FOUND", tmp_path / "misled.json")
    monkeypatch.setattr(misled, "PAGE", tmp_path / "MISLED.md")
    misled.main(["--runs", "2", "--only", "rare failures", "--column", "before", "--write"])
    misled.main(["--runs", "3", "--only", "rare failures", "--write"])
    page = misled.PAGE.read_text("utf-8")
    assert "| data | before | after | negative control | wrong |" in page
    rare = next(line for line in page.splitlines() if line.startswith("| rare failures"))
    assert "0 of 2 (0.0 to 84.2 %) | 0 of 3 (0.0 to 70.8 %)" in rare
    assert len(page.splitlines()) - page.splitlines().index("| objectives | before | after |") == 5


def test_intervals_are_exact():
    assert misled.rate(15, 300) == "15 of 300 (2.8 to 8.1 %)"  # Clopper and Pearson: beta quantiles
