"""Sections of a page that replace themselves."""

from __future__ import annotations

from benchmarks.sections import placed, write


def test_a_section_replaces_itself_and_nothing_else():
    box, other = "<!-- box -->\nold\n<!-- end of box -->", "<!-- other -->\nkept\n<!-- end of other -->"
    page = f"# Page\n\nby hand\n\n{box}\n\nmore by hand\n\n{other}\n"
    assert placed(page, "box", ["new"]) == page.replace("old", "new")
    assert placed(placed(page, "box", ["new", ""]), "box", ["old"]) == page


def test_a_section_that_is_new_stands_at_the_end(tmp_path):
    page = tmp_path / "PAGE.md"
    page.write_text("# Page\n", encoding="utf-8")
    write("box", ["## A box", "", "figures"], page)
    assert page.read_text(encoding="utf-8") == "# Page\n\n<!-- box -->\n## A box\n\nfigures\n<!-- end of box -->\n"
