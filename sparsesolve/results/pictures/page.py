"""The page of an explorer: style, controls and numbers; explorer.js moves its slider."""

import html
import json
from collections.abc import Sequence
from importlib.resources import files
from os import PathLike
from typing import Any

import numpy as np

from sparsesolve.results.files.whole_file import whole_file
from sparsesolve.results.pictures.explorer import (
    Story,
    figure_of,
    ordered,
    story_of,
    view_traces,
)

STYLE = """
:root { --ink: #1c1c1c; --paper: #fff; --line: #ccc; --soft: #666; color-scheme: light dark }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e4e4; --paper: #16181c; --line: #444; --soft: #aaa } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 0 auto; padding: 0.6rem 1rem; max-width: 1400px }
h1 { font-size: 1.25rem; margin: 0.2rem 0 } h2 { font-size: 1.1rem; margin: 1.6rem 0 0.4rem }
p { margin: 0.2rem 0; overflow-wrap: anywhere } .soft, footer { color: var(--soft) }
.controls { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; margin: 0.6rem 0;
  align-items: center }
#slider { flex: 1 1 16rem; min-width: 0 } #said { min-height: 2.9em }
.both { display: grid; grid-template-columns: minmax(0, 2.4fr) minmax(0, 1fr); gap: 1rem }
.scrolls { overflow: auto; max-height: 660px }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: 0.1rem 0.4rem; border-bottom: 1px solid var(--line) }
th { position: sticky; top: 0; background: var(--paper) }
td.number, th.number { text-align: right }
td.link { cursor: pointer; text-decoration: underline dotted } tr.out td { color: var(--soft) }
input, select, button { font: inherit } code { overflow-wrap: anywhere }
svg.figure { max-width: 100%; height: auto }
@media (max-width: 700px) { .both { grid-template-columns: minmax(0, 1fr) }
  .scrolls { max-height: 320px } body { padding: 0.4rem } }
"""
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{style}</style></head><body>
<h1>{title}</h1>
{heads}
<div class="controls">
<label>Lines <select id="view"></select></label>
<label>Find <input id="find" type="search" list="names" placeholder="name or group"></label>
<datalist id="names"></datalist>
<span id="marks"></span>
<input id="slider" type="range" min="0" step="1" aria-label="lambda">
</div>
<p id="said" aria-live="polite"></p>
<div class="both"><div id="figure"></div>
<div class="scrolls"><table>
<thead><tr id="head"></tr></thead><tbody id="rows"></tbody>
</table></div>
</div>
{more}
<footer><p>Made by sparsesolve, drawn by plotly.</p></footer>
<script type="application/json" id="data">{data}</script>
<script type="application/json" id="drawn">{figure}</script>
<script type="application/json" id="figures">{figures}</script>
<script>{plotly}</script>
<script>{script}</script>
</body></html>
"""


def data_of(story: Story) -> dict:
    """Return what explorer.js reads, as plain lists: every number as in the result."""
    views = [
        {"title": view.title, "names": view.names, "groups": view.groups, "traces": traces,
         "columns": [list(pair) for pair in ordered(view)]}
        for view, traces in zip(story.views, view_traces(story), strict=True)
    ]  # fmt: skip
    return {"lambdas": story.lambdas.tolist(), "said": story.said, "views": views,
            "start": story.start, "marks": story.marks, "missed": story.missed}  # fmt: skip


def save_page(
    fit: Any, file: Any, more: str = "", title: str = "", figures: Sequence = (), s: Any = None
) -> None:
    """Write the page of a result, whose slider begins at the lambda nearest to s, if it is given.

    `more` is HTML that follows the explorer. It may have places for figures, which are given as
    JSON of plotly: elements of class "drawn", whose data-figure is a number.
    """
    if not isinstance(file, str | PathLike):
        raise TypeError(f"file is {file!r}; give the name of a file, or its path")
    story = story_of(fit)
    if s is not None:
        story.marks["s"] = int(np.abs(story.lambdas - s).argmin())
    page = page_of(story, figure_of(story, controls=False), more, title, figures)
    with whole_file(file, encoding="utf-8") as stream:
        stream.write(page)


def page_of(
    story: Story, figure: Any, more: str = "", title: str = "", figures: Sequence = ()
) -> str:
    """Return the page: style, sentences, controls, numbers, plotly and explorer.js."""
    from plotly.offline import get_plotlyjs

    here = files("sparsesolve.results.pictures")
    heads = "".join(f"<p>{html.escape(line)}</p>" for line in story.heads)
    script = (here / "explorer.js").read_text(encoding="utf-8")
    return PAGE.format(
        title=html.escape(title or "Explorer of a path"), style=STYLE, heads=heads, more=more,
        data=inside(json.dumps(data_of(story))), figures=inside(json.dumps(list(figures))),
        figure=inside(figure.to_json()),
        plotly=get_plotlyjs(), script=script,
    )  # fmt: skip


def inside(text: str) -> str:
    """Return JSON that can stand in a script element."""
    return text.replace("<", "\\u003c")
