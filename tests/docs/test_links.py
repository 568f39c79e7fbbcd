"""Links of Markdown pages lead to files and headings; inventories hold what links.txt says."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "benchmarks").glob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(text):
    """The names by which headings of a Markdown page are reached."""
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken(page):
    """Links of a page that lead nowhere in this repository."""
    wrong = []
    for link in LINK.findall(page.read_text()):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        target = page.parent / file if file else page
        if not target.exists() or (anchor and anchor not in anchors(target.read_text())):
            wrong.append(link)
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    assert broken(page) == []


def test_a_broken_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A title, here\n[a](gone.md) [b](#a-title-here) [c](#other) [d](https://x.y)")
    assert broken(page) == ["gone.md", "#other"]


def test_inventories_are_read_by_sphinx(monkeypatch):
    from sphinx.util.inventory import InventoryFile

    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    from inventory import inventory, read

    packages = read((ROOT / "docs" / "links.txt").read_text())
    assert {"python", "numpy", "sklearn"} <= set(packages)
    for name, (address, objects) in packages.items():
        found = InventoryFile.loads(inventory(name, objects), uri=address)
        for role, thing, page in objects:
            assert found.data[f"py:{role}"][thing].uri == address + page


def test_names_in_code_lead_to_their_pages(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    from names import CALL, listed

    names = listed(ROOT / "docs" / "reference.rst")
    for code, full in {
        "GroupL2": "penalties.GroupL2", "penalties.GroupL2(groups)": "penalties.GroupL2",
        "ss.cv_path": "cv_path", "families.huber(1.5)": "families.huber",
    }.items():  # fmt: skip
        assert names[CALL.fullmatch(code)[1]] == f"sparsesolve.{full}"
    assert not {"path", "online", "Lasso.alpha", "alpha"} & set(names)


def test_every_page_of_the_site_has_a_title():
    """A page without one is not found by the search, nor listed."""
    for page in sorted((ROOT / "docs").glob("*.rst")):
        first, second = page.read_text().splitlines()[:2]
        assert first and set(second) == {"="} and len(second) >= len(first), page.name
