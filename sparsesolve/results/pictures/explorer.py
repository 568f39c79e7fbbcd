"""The explorer of a path: its numbers, and an interactive figure of them by plotly.

`story_of` collects the numbers of a result, `figure_of` draws them.
"""

import html
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from sparsesolve.results import printing
from sparsesolve.results.explored import View
from sparsesolve.results.pictures.axes import without_rests_at_zero
from sparsesolve.results.pictures.line_names import COLOURS
from sparsesolve.results.pictures.path import largest

# A longer path is shown at this many of its lambdas.
MOST_LAMBDAS = 200
# The largest lines have a colour each; the others are grey.
COLOURED = 40
# Colours that can be seen on white and on black.
BRIGHT = COLOURS[:-1]
FAINT = "rgba(128, 128, 128, 0.35)"
# Rows of the table in a notebook.
TABLE_ROWS = 16
# A gap is drawn at this height at least, where logarithms end.
LEAST_GAP = 1e-17


class Story(NamedTuple):
    """What an explorer shows, at K lambdas of a path."""

    heads: list  # sentences on the fit
    at: np.ndarray  # (K,) places in the path
    lambdas: np.ndarray  # (K,)
    views: list  # Views of (m, K) rows, the largest lines alone
    said: list  # (K,) a sentence on each lambda
    gaps: np.ndarray | None  # (K,), where the method has certificates
    missed: list  # (K,) why the tolerance was missed, or ""
    curve: tuple | None  # (mean (K,), its standard error (K,), name of the measure)
    marks: dict  # "min" and "1se", and "s" of a report, to places in `lambdas`
    linear: bool  # the axis of lambda is linear

    @property
    def start(self):
        """Place of the first lambda that is shown."""
        return self.marks.get("s", self.marks.get("1se", len(self.lambdas) - 1))


def story_of(fit: Any) -> Story:
    """Return what an explorer of a result shows; raise ValueError if it holds no lambda."""
    path, cv = getattr(fit, "path", fit), fit if hasattr(fit, "index_min") else None
    L = len(path.lambdas)
    if not L:
        raise ValueError("The path holds no lambda that can be drawn")
    chosen = [] if cv is None else [cv.index_min, cv.index_1se]
    at = np.unique(np.append(np.linspace(0, L - 1, min(L, MOST_LAMBDAS)).round(), chosen))
    at = at.astype(int)
    views = [_shortened(view, at) for view in path._views()]
    solved = hasattr(path, "family")
    heads = [printing.heading(path)] if solved else []
    heads += [repr(fit).strip("<>")] if cv is not None or not solved else []
    gaps = getattr(path, "gaps", np.array([np.nan] * L))[at]
    status = getattr(path, "status", np.zeros(L))[at]
    missed = [one.sentence if one != 0 else "" for one in status]
    curve = None if cv is None else (cv.mean[at], np.nan_to_num(cv.std[at]), cv.measure)
    marks = {name: int(np.searchsorted(at, place))
             for name, place in zip(("min", "1se"), chosen, strict=False)}  # fmt: skip
    linear = getattr(path, "exact_between", False) or not path.lambdas[-1] > 0.0
    gaps = gaps if np.isfinite(gaps).any() else None
    said = [_sentence(path, cv, k) for k in at]
    return Story(heads, at, path.lambdas[at], views, said, gaps, missed, curve, marks, linear)


def _shortened(view, at):
    """Return a view at some lambdas, with its largest lines, by name."""
    rows = sparse.csr_array(view.rows)[:, at]
    which, _ = largest(rows)
    names = [str(j) for j in which] if view.names is None else [str(view.names[j]) for j in which]
    groups = None if view.groups is None else [str(view.groups[j]) for j in which]
    return View(view.title, names, sparse.csr_array(rows[which]), groups)


def _sentence(path, cv, k):
    """Return what is known of lambda k."""
    said = f"λ = {path.lambdas[k]:.4g}"
    if hasattr(path, "selectable"):
        said += f": {printing.counted(path, k)}"
    if hasattr(path, "dev_ratio") and printing.known(path.dev_ratio[k]):
        said += f", {printing.explained(path, k)} of the deviance explained"
    if cv is not None:
        said += f"; {cv.measure} {cv.mean[k]:.4g} ± {cv.std[k]:.2g}"
    if hasattr(path, "gaps") and printing.known(path.gaps[k]):
        said += f"; certified gap {path.gaps[k]:.1e}"
    return said


def ordered(view: View) -> list:
    """Return for each lambda the lines that are not 0, the largest first: (lines, values)."""
    columns = sparse.csc_array(view.rows)
    found = []
    for k in range(columns.shape[1]):
        part = slice(columns.indptr[k], columns.indptr[k + 1])
        lines, values = columns.indices[part], columns.data[part]
        order = np.lexsort((lines, -np.abs(values)))
        order = order[values[order] != 0.0]
        found.append((lines[order].tolist(), values[order].tolist()))
    return found


def figure_of(story: Story, controls: bool = True) -> Any:
    """Return the figure; without `controls` there is no slider, no menu and no table."""
    go, make_subplots = _plotly()
    parts = ["path", *["curve"] * (story.curve is not None), *["gaps"] * (story.gaps is not None)]
    figure = _empty(make_subplots, parts, controls)
    dots = {"mode": "markers", "hoverinfo": "skip", "meta": "dots"}
    for number, view in enumerate(story.views):
        figure.add_traces(_lines(go, story, view, number == 0), rows=1, cols=1)
    moving = []  # traces that the slider moves, with a function of the place
    for number, view in enumerate(story.views):
        moving.append((len(figure.data), _dots_of(story, view)))
        figure.add_trace(go.Scatter(**dots, marker={"size": 6, "color": "#888"},
                                    visible=number == 0), row=1, col=1)  # fmt: skip
    for row, part in enumerate(parts[1:], 2):
        y = _draw_curve(go, figure, story, part, row)
        moving.append((len(figure.data), lambda k, y=y: {"x": [story.lambdas[k]], "y": [y[k]]}))
        figure.add_trace(go.Scatter(**dots, marker={"size": 10, "color": "#888"}), row=row, col=1)
    first = story.views[0]
    if controls:
        moving.append((len(figure.data), _cells_of(first)))
        figure.add_trace(go.Table(header={"values": ["Rank", "Name", first.title]}), row=1, col=2)
    figure.update_yaxes(title_text=html.escape(first.title), row=1, col=1)
    figure.update_xaxes(autorange="reversed", **_ticks(story))
    figure.update_xaxes(title_text="λ", row=len(parts), col=1)
    figure.frames = [_frame(go, story, moving, k, controls) for k in range(len(story.lambdas))]
    for trace, moved in moving:
        figure.data[trace].update(moved(story.start))
    figure.update_layout(shapes=_marks(story, story.start))
    if controls:
        _add_controls(figure, story)
    return figure


def _empty(make_subplots, parts, controls):
    """Return a figure of these parts below each other, to the left of the place of a table."""
    heights = {"path": 0.6, "curve": 0.25, "gaps": 0.15}
    table = [{"type": "table", "rowspan": len(parts)}] + [None] * len(parts)
    figure = make_subplots(
        rows=len(parts), cols=1 + controls, row_heights=[heights[part] for part in parts],
        specs=[[{}, table[row]][: 1 + controls] for row in range(len(parts))],
        column_widths=[0.7, 0.3] if controls else None, shared_xaxes=True, vertical_spacing=0.04,
        horizontal_spacing=0.03,
    )  # fmt: skip
    return figure.update_layout(
        showlegend=False, hovermode="closest", height=640, template="plotly_white",
        margin={"l": 60, "r": 10, "t": 40, "b": 50},
    )  # fmt: skip


def _frame(go, story, moving, k, titled):
    """Return what changes when the slider is at place k."""
    title = {"title": {"text": story.said[k]}} if titled else {}
    return go.Frame(name=str(k), traces=[trace for trace, _ in moving],
                    data=[moved(k) for _, moved in moving],
                    layout={"shapes": _marks(story, k), **title})  # fmt: skip


def _ticks(story):
    """Return the axis of lambda: logarithmic, with a tick at 1, 2 and 5 of each power of ten."""
    if story.linear:
        return {"type": "linear"}
    ends = np.log10(story.lambdas[[-1, 0]])
    powers = np.arange(np.floor(ends[0]), np.ceil(ends[1]) + 1.0)
    ticks = (10.0 ** powers[:, None] * ([1.0] if len(powers) > 4 else [1.0, 2.0, 5.0])).ravel()
    return {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:.4g}" for tick in ticks]}


def _lines(go, story, view, visible):
    """Return a trace for each of the largest lines, and one for all others together."""
    rows, values = view.rows.toarray(), without_rests_at_zero(view.rows.toarray())
    ranks = np.zeros(rows.shape, dtype=int)
    for k, (lines, _) in enumerate(ordered(view)):
        ranks[lines, k] = np.arange(1, len(lines) + 1)
    peak = np.argsort(-np.abs(rows).max(axis=1, initial=0.0), kind="stable")
    kinds = {name: g for g, name in enumerate(dict.fromkeys(view.groups or ()))}
    names = [html.escape(name) for name in view.names]
    shown = [name + (f" ({html.escape(view.groups[j])})" if view.groups else "")
             for j, name in enumerate(names)]  # fmt: skip
    same = {"x": story.lambdas, "mode": "lines", "visible": visible}
    about = ("<b>%{customdata[0]}</b><br>%{y:.5g}, rank %{customdata[1]}<br>λ = %{x:.4g}"
             "<extra></extra>")  # fmt: skip
    found = []
    for place, j in enumerate(peak[:COLOURED]):
        own = kinds[view.groups[j]] if view.groups else place
        found.append(go.Scatter(
            **same, y=values[j], name=names[j], hovertemplate=about, meta="line",
            customdata=[[shown[j], rank] for rank in ranks[j].tolist()],
            line={"width": 1.6, "color": BRIGHT[own % len(BRIGHT)]}))  # fmt: skip
    rest, gap = peak[COLOURED:], [None]
    if len(rest):
        found.insert(0, go.Scatter(
            **{**same, "x": np.tile(np.append(story.lambdas, np.nan), len(rest))},
            y=np.concatenate([np.append(values[j], np.nan) for j in rest]), name="others",
            customdata=[one for j in rest
                        for one in [*([shown[j], r] for r in ranks[j].tolist()), gap]],
            hovertemplate=about, line={"width": 0.8, "color": FAINT}, meta="line"))  # fmt: skip
    return found


def _dots_of(story, view):
    """Return a function of a place: the dots on the largest lines that are not 0 there."""
    columns = ordered(view)

    def dots(k):
        values = columns[k][1][:COLOURED]
        return {"x": [story.lambdas[k]] * len(values), "y": values}

    return dots


def _cells_of(view):
    """Return a function of a place: the cells of the table in a notebook."""
    columns = ordered(view)

    def cells(k):
        lines, values = (part[:TABLE_ROWS] for part in columns[k])
        shown = [html.escape(view.names[j]) for j in lines], [f"{one:.5g}" for one in values]
        return {"type": "table", "cells": {"values": [list(range(1, len(lines) + 1)), *shown]}}

    return cells


def _draw_curve(go, figure, story, part, row):
    """Draw scores or gaps in a row of the figure; return their heights (K,)."""
    colour, bars = COLOURS[0], None
    if part == "curve":
        y, error, title = story.curve
        bars = {"array": error, "color": "#999", "thickness": 1, "width": 2}
        text = [f"{mean:.5g} ± {one:.2g}" for mean, one in zip(y, error, strict=True)]
    else:
        y, title = np.maximum(story.gaps, LEAST_GAP), "Gap"
        text = [f"gap {gap:.1e}{'<br>' * bool(why)}{why}"
                for gap, why in zip(story.gaps, story.missed, strict=True)]  # fmt: skip
        colour = [COLOURS[1] if why else COLOURS[2] for why in story.missed]
        figure.update_yaxes(type="log", exponentformat="power", nticks=4, row=row, col=1)
    figure.add_trace(go.Scatter(
        x=story.lambdas, y=y, error_y=bars, mode="markers", meta=part, text=text,
        marker={"size": 4, "color": colour},
        hovertemplate="%{text}<br>λ = %{x:.4g}<extra></extra>"), row=row, col=1)  # fmt: skip
    figure.update_yaxes(title_text=title, row=row, col=1)
    return y


def _marks(story, k):
    """Return vertical lines: the lambda shown, and those that cross-validation chose."""

    def line(place, dash):
        x = story.lambdas[place]
        return {"type": "line", "xref": "x", "yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1,
                "line": {"color": "#888", "width": 1, "dash": dash}}  # fmt: skip

    return [line(k, "solid"), *(line(place, "dot") for place in story.marks.values())]


def _add_controls(figure, story):
    """Add a slider of lambda, and a menu of what the lines show."""
    still = {"mode": "immediate", "frame": {"duration": 0, "redraw": True},
             "transition": {"duration": 0}}  # fmt: skip
    steps = [{"method": "animate", "args": [[str(k)], still], "label": f"{lam:.4g}"}
             for k, lam in enumerate(story.lambdas)]  # fmt: skip
    figure.update_layout(
        sliders=[{"steps": steps, "active": story.start, "currentvalue": {"prefix": "λ = "},
                  "pad": {"t": 40}}],
        title={"text": story.said[story.start], "font": {"size": 13}},
    )  # fmt: skip
    if len(story.views) > 1:
        buttons = [{"method": "update", "label": html.escape(view.title),
                    "args": [{"visible": visible_in(story, figure, v)},
                             {"yaxis.title.text": html.escape(view.title)}]}
                   for v, view in enumerate(story.views)]  # fmt: skip
        figure.update_layout(updatemenus=[{"buttons": buttons, "x": 0.0, "xanchor": "left",
                                           "y": 1.02, "yanchor": "bottom"}])  # fmt: skip


def view_traces(story: Story) -> list:
    """Return the numbers of the traces of each view, the dots last."""
    found, start = [], 0
    sizes = [min(len(view.names), COLOURED) + (len(view.names) > COLOURED) for view in story.views]
    for v, size in enumerate(sizes):
        found.append([*range(start, start + size), sum(sizes) + v])
        start += size
    return found


def visible_in(story: Story, figure: Any, v: int) -> list:
    """Return which traces show when view v is chosen."""
    own = view_traces(story)
    hidden = {trace for other, traces in enumerate(own) if other != v for trace in traces}
    return [trace not in hidden for trace in range(len(figure.data))]


def _plotly():
    try:
        from plotly import graph_objects
        from plotly.subplots import make_subplots
    except ImportError:
        raise ImportError("explore needs plotly: pip install 'sparsesolve[explore]'") from None
    return graph_objects, make_subplots
