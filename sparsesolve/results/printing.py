"""Printing of a path: one line, glmnet's table, and the table for a notebook."""

import html as markup

import numpy as np


def one_line(path):
    """Return a line on what was fitted, how far, and the worst certificate."""
    n = len(path.lambdas)
    if not n:
        return f"<{type(path).__name__} {path.family}: no lambda solved, {path.stop_reason}>"
    options = getattr(path, "options", None) or {}
    return (
        f"<{type(path).__name__} {path.family}: {n} lambda{'s' * (n > 1)} from "
        f"{path.lambdas[0]:.4g} to {path.lambdas[-1]:.4g}, {counted(path, -1)} at the end, "
        + (f"{explained(path, -1)} deviance explained, " if known(path.dev_ratio[-1]) else "")
        + (f"{scaled(options)}, " if "standardize" in options else "")
        + (f"worst gap {worst_gap(path):.1e}>" if known(worst_gap(path)) else "no certificate>")
    )


def known(number):
    """Return True for the number of a fit; one that its method cannot tell is nan or infinite."""
    return bool(np.isfinite(number))


def explained(path, k):
    """Return the share of the deviance explained at lambda k, in percent."""
    return f"{100 * path.dev_ratio[k]:z.1f}%"


def counted(path, k):
    """Return what a path has selected at its lambda k, in words."""
    count, noun = path.selectable
    if getattr(path, "counted", ""):
        return f"{path.degrees[k]} {path.counted} of {count} {noun}s"
    return f"{path.df[k]} of {count} {noun}s"


def worst_gap(path):
    """Return the largest certified gap of the path; 0 if nothing was solved."""
    return float(np.max(path.gaps, initial=0.0))


def heading(path):
    """Return one sentence on the fit, for the top of its table."""
    n, (count, noun) = len(path.lambdas), path.selectable
    reason = path.stop_reason.strip().rstrip(".")
    size = f"{n} lambda{'s' * (n != 1)}, {count} {noun}{'s' * (count != 1)}"
    said = f"{path.family} path{classes(path)}: {size}" + (f"; {reason}." if reason else ".")
    word = getattr(path, "counted", "")
    said += of_penalty(getattr(path, "options", None) or {})
    return said + f" Df counts {word}." * bool(word)


def of_penalty(options):
    """Return what a reader must know of the penalty of a fit and of the scale of its features."""
    penalty, said = options.get("penalty"), ""
    if getattr(penalty, "concave", options.get("concave", False)):
        name = options.get("penalty_name", type(penalty).__name__)
        said = f" {name} is not convex: these are stationary points."
    return said + (f" {scaled(options).capitalize()}." if "standardize" in options else "")


def scaled(options):
    """Return whether features were standardised, in words."""
    if options["standardize"] == "group":
        return "groups standardised"
    return "features standardised" if options["standardize"] else "features not standardised"


def classes(path):
    """Return which of two classes the coefficients favour."""
    if path.class_names is None or len(path.class_names) != 2:
        return ""
    if np.ndim(getattr(path, "intercepts", np.zeros((2, 1)))) == 2:
        return ""
    other, target = path.class_names.tolist()
    return f" of {target!r} against {other!r}"


def rows(path):
    """Return the cells of glmnet's table (index, Df, %Dev, Lambda) and the gap, as text."""
    df = path.degrees if getattr(path, "counted", "") else path.df
    columns = (df, path.dev_ratio, aligned(path.lambdas), path.gaps, path.status)
    return [
        (str(i), str(df), f"{100 * ratio:z.2f}" if known(ratio) else "", lam,
         (f"{gap:.1e}" if known(gap) else "none") + "*" * (status != 0))
        for i, (df, ratio, lam, gap, status) in enumerate(zip(*columns, strict=True))
    ]


def aligned(values):
    """Return numbers to four significant digits, with the decimals of the smallest, as in R."""
    positive = np.asarray(values)[np.asarray(values) > 0.0]
    decimals = 3 - int(np.floor(np.log10(positive.min()))) if positive.size else 1
    if decimals > 8 or (positive.size and positive.max() >= 1e8):
        return [f"{value:.3e}" for value in values]
    return [f"{float(f'{value:.4g}'):.{max(0, decimals)}f}" for value in values]


def notes(path):
    """Return a line for each way in which lambdas missed the tolerance; none if all met it."""
    missed = [status for status in path.status if status != 0]
    kinds = sorted(set(missed))
    return [
        f"* {missed.count(kind)} lambda{'s' * (missed.count(kind) > 1)}: {kind.sentence}"
        for kind in kinds
    ]


# Lambdas shown at either end of a long path, of more than three times as many.
ENDS = 8


def aligned_cells(rows):
    """Return rows of text as lines, with numbers in the last column right-aligned."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return ["  ".join([*(cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)),
                       row[-1].rjust(widths[-1])]) for row in rows]  # fmt: skip


def right_aligned(rows):
    """Return rows of text as lines, all columns right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            for row in rows]  # fmt: skip


def shortened(lines, what="rows"):
    """Return the head and the tail of a long table whose first line is its header."""
    hidden = len(lines) - 1 - 2 * ENDS
    if len(lines) <= 3 * ENDS + 1:
        return lines
    return [*lines[: 1 + ENDS], f"... {hidden} {what} more ...", *lines[-ENDS:]]


def table(path, whole=False):
    """Return glmnet's table, a line for each lambda, with the certified gap."""
    header = ("", "Df", "%Dev", "Lambda", "Gap")
    cells = [header, *rows(path)]
    lines = right_aligned([[cell.rstrip("*") for cell in row] for row in cells])
    # The star of an unconverged lambda stands to the right of its aligned column.
    lines = [line + "*" * row[-1].endswith("*") for line, row in zip(lines, cells, strict=True)]
    lines = lines if whole else shortened(lines, "lambdas")
    return "\n".join([heading(path), "", *lines, *notes(path)])


def html(path):
    """Return the table for a notebook, in a box that scrolls."""
    head = "".join(f"<th>{name}</th>" for name in ("", "Df", "%Dev", "Lambda", "Gap"))
    body = "".join(
        "<tr>" + "".join(f"<td>{markup.escape(cell)}</td>" for cell in row) + "</tr>"
        for row in rows(path)
    )
    below = "".join(f"<div>{markup.escape(line)}</div>" for line in notes(path))
    return (
        f"<div>{markup.escape(heading(path))}</div>"
        f'<div style="max-height: 24em; overflow: auto; display: inline-block">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{below}"
    )


def cv_table(cv):
    """Return glmnet's table of the two lambdas that cross-validation chose."""
    places = [cv.index_min, cv.index_1se]
    measure, error = cv.mean[places], cv.std[places]
    columns = [
        ["", "min", "1se"],
        ["Lambda", *aligned(cv.lambdas[places])],
        ["Index", *map(str, places)],
        ["Measure", *(f"{value:.4g}" for value in measure)],
        ["SE", *(f"{value:.4g}" for value in error)],
        ["Nonzero", *map(str, cv.n_nonzero[places])],
    ]
    lines = right_aligned(list(zip(*columns, strict=True)))
    candidates = getattr(cv, "candidates", ())
    tried = {name: len({getattr(c, name) for c in candidates}) for name in ("alpha", "gamma")}
    tried = "".join(f", {name} {getattr(cv, name):g} the best of {count}"
                    for name, count in tried.items() if count > 1)  # fmt: skip
    heading = f"{cv.path.family} path, {len(cv.fold_scores)} folds{tried}; {cv.measure}"
    better = " (larger is better)." if cv.larger_is_better else "."
    hint = cv.end_of_grid
    return "\n".join([heading + better, "", *lines, *(["", hint] if hint else [])])
