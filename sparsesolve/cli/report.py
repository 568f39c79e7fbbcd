"""The command report: one page on a saved model, and on how it does on the rows of a file."""

import html
from pathlib import Path as FilePath

import numpy as np

from sparsesolve.cli.commands import path_of, read_s
from sparsesolve.cli.model_commands import known_rows
from sparsesolve.cli.options import check_targets, versions
from sparsesolve.cli.reading import add_file_options
from sparsesolve.results import printing
from sparsesolve.results.prediction import path_family
from sparsesolve.selection.measures import SIDED

# More rows are drawn as this many of them, evenly spaced.
MOST_POINTS = 4000
UNKNOWN = "not in the file"


def add_report(commands):
    """Add the command."""
    command = commands.add_parser("report", help="a page on a saved model, to explore")
    command.set_defaults(run=run_report)
    command.add_argument("model", metavar="MODEL", help="what --save wrote")
    command.add_argument("--data", dest="file", metavar="FILE", help="rows with known responses; "
                         "columns are found by name")  # fmt: skip
    command.add_argument("--response", metavar="COL", action="append", default=[],
                         help="column of the response (may be repeated)")  # fmt: skip
    for part in ("weights", "offset", "strata"):
        command.add_argument(f"--{part}", metavar="COL", help=f"column of {part}")
    command.add_argument("--s", metavar="S", help="lambda, lambda_1se or lambda_min; default "
                         "lambda_1se of a model of cv, else the last")  # fmt: skip
    command.add_argument("-o", "--out", metavar="FILE", default="report.html", help="the page; "
                         "default report.html")  # fmt: skip
    add_file_options(command)


def run_report(args):
    """Write the page."""
    import sparsesolve as ss
    from sparsesolve.results.pictures.page import save_page

    check_targets([args.model, args.file], out=args.out)
    fit = ss.load(args.model)
    path = path_of(fit, args.model, kernels=True)
    s = read_s(args.s, fit)
    s = path.lambdas[-1] if s is None else s
    lam = fit.read_s(s) if hasattr(fit, "read_s") else s
    sections = [("How it was made", table_of(_making(fit, path, args))),
                ("Certificates", _certificates(path)),
                (f"In the model at λ = {lam:.4g}", table_of(path._columns_at(lam, False)))]
    figures = []
    if args.file is not None:
        sections.append(_on_rows(args, fit, path, s, figures))
    elif args.response or args.weights or args.offset or args.strata:
        raise ValueError("--response, --weights, --offset and --strata are columns of --data")
    more = "".join(f"<h2>{html.escape(head)}</h2>{body}" for head, body in sections)
    save_page(fit, args.out, more, f"Report of {FilePath(args.model).name}", figures,
              s=None if args.s is None else lam)


def table_of(columns):
    """Return arrays by name as a table of HTML."""
    values = [np.asarray(column).tolist() for column in columns.values()]
    head = "".join(_cell(str(name), "th", any(isinstance(one, float) for one in column))
                   for name, column in zip(columns, values, strict=True))  # fmt: skip
    rows = zip(*values, strict=True)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return (f'<div class="scrolls"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody>'
            "</table></div>")  # fmt: skip


def _cell(value, tag="td", number=False):
    text = f"{value:.6g}" if isinstance(value, float) else html.escape(str(value))
    kind = ' class="number"' * (number or isinstance(value, float))
    return f"<{tag}{kind}>{text}</{tag}>"


def _making(fit, path, args):
    """Return what was fitted and how, as two columns: what the file does not hold is said."""
    options, (count, noun) = path.options or {}, path.selectable
    default = "elastic net" if "alpha" in options else getattr(path, "norm", "")
    kept = {"Family": path.family + printing.classes(path),
            "Responses": f"{len(path.intercepts) if np.ndim(path.intercepts) == 2 else 1}",
            f"{noun.capitalize()}s": f"{count}",
            "Penalty": options.get("penalty_name", default)}  # fmt: skip
    words = {"alpha": "Mixing alpha", "standardize": "Standardised", "intercept": "Intercept",
             "has_limits": "Limits of coefficients", "offset": "Offset", "tol": "Tolerance"}
    kept |= {word: _said(options.get(name, False if name in ("has_limits", "offset") else None))
             for name, word in words.items()}  # fmt: skip
    kept["Path"] = f"{len(path.lambdas)} lambdas; {path.stop_reason or 'every lambda was solved'}"
    if hasattr(fit, "index_min"):
        kept["Cross-validation"] = repr(fit).strip("<>")
    kept |= {"Command": options.get("command", UNKNOWN), "Versions": options.get(
        "versions", UNKNOWN), "Report made by": versions(), "Model": args.model}  # fmt: skip
    return {"": list(kept), "value": [value or UNKNOWN for value in kept.values()]}


def _said(value):
    """Return an option in words."""
    if value is None:
        return UNKNOWN
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else f"{value}"


def _certificates(path):
    """Return sentences on the gaps, and the table of lambdas that missed the tolerance."""
    known = np.isfinite(path.gaps)
    if not known.any():
        return "<p>The method has no certificate.</p>"
    what = ("no coefficients have an objective that is lower by more" if not
            (path.options or {}).get("concave") else "the penalty is not convex, so that this "
            "certifies stationary points, and not the lowest objective")  # fmt: skip
    said = (f"<p>The largest certified gap of {known.sum()} lambdas is "
            f"{path.gaps[known].max():.1e}, relative to the objective of the model without "
            f"features: {what}.</p>")  # fmt: skip
    return said + "".join(f"<p>{html.escape(note)}</p>" for note in printing.notes(path))


def _on_rows(args, fit, path, s, figures):
    """Return the section on the rows of the file: measures, and what suits the response."""
    import sparsesolve as ss

    family, table = path_family(path), known_rows(args, path)
    rows = {"weights": table.weights, "offset": table.offset}
    found = ss.assess(fit, table.X, table.y, s, strata=table.marks.get("strata"), **rows)
    body = table_of({"measure": list(found), "value": list(found.values())})
    if family.classify is not None:
        body += _classes(fit, path, family, table, s, rows, figures)
    elif family.name != "cox" and np.ndim(table.y) == 1:
        body += _residuals(fit.predict(table.X, s, kind="response", offset=table.offset),
                           np.asarray(table.y, dtype=float), figures)  # fmt: skip
    else:
        body += "<p>There is no picture of residuals for such a response.</p>"
    return f"On the {len(table.y):,} rows of {FilePath(args.file).name}", body


def _classes(fit, path, family, table, s, rows, figures):
    """Return the table of confusion and, where there are two with probabilities, calibration."""
    import sparsesolve as ss

    said = "<h3>True and predicted classes</h3>" + table_of(
        ss.confusion(fit, table.X, table.y, s, **rows)._columns()
    )
    if family.several or family.name in SIDED:
        return said
    found = ss.calibration(fit, table.X, table.y, s, **rows)
    text = [f"{weight:g} rows" for weight in found.weights]
    figures.append(_figure(found.predicted, found.observed, "Predicted probability",
                           "Observed share", [0.0, 1.0], text))  # fmt: skip
    return said + "<h3>Calibration</h3>" + _place(figures) + table_of(found._columns())


def _residuals(predicted, observed, figures):
    """Return pictures of what was predicted against what was observed, and of residuals."""
    n = len(observed)
    shown = np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).astype(int))
    said = f"<p>{len(shown):,} of {n:,} rows are drawn.</p>" * (len(shown) < n)
    predicted, observed, rows = predicted[shown], observed[shown], [f"row {i}" for i in shown]
    ends = [float(predicted.min()), float(predicted.max())]
    figures.append(_figure(predicted, observed, "Predicted", "Observed", ends, rows))
    said += "<h3>Predicted and observed</h3>" + _place(figures)
    figures.append(_figure(predicted, observed - predicted, "Predicted", "Residual", ends, rows,
                           flat=True))  # fmt: skip
    return said + "<h3>Residuals</h3>" + _place(figures)


def _place(figures):
    """Return the place of the last figure in the page."""
    return f'<div class="drawn" data-figure="{len(figures) - 1}"></div>'


def _figure(x, y, horizontal, vertical, ends, text, flat=False):
    """Return dots and a line where they should be, as a figure in plotly's JSON."""
    line = {"x": ends, "y": [0.0, 0.0] if flat else ends, "mode": "lines", "hoverinfo": "skip",
            "line": {"color": "#888", "dash": "dot", "width": 1}}  # fmt: skip
    dots = {"x": x.tolist(), "y": y.tolist(), "mode": "markers", "text": text, "meta": vertical,
            "marker": {"size": 6, "color": "#0072B2"},
            "hovertemplate": "%{text}<br>%{x:.4g}, %{y:.4g}<extra></extra>"}  # fmt: skip
    return {"data": [line, dots], "layout": {
        "xaxis": {"title": {"text": horizontal}}, "yaxis": {"title": {"text": vertical}},
        "showlegend": False, "height": 380, "margin": {"l": 60, "r": 10, "t": 10, "b": 50}}}
