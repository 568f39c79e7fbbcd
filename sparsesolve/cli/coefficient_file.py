"""The coefficients of a path as CSV, in a layout for ten features and for a million."""

import csv
import sys

from sparsesolve.results.files.whole_file import whole_file


def write_coefs(path, file):
    """Write one line for each nonzero coefficient: lambda, feature, coefficient.

    Lambdas come in decreasing order. Each starts with the line ``(Intercept)`` (value 0 in a
    model without one), followed by the features in the order of the columns of X, by name, or by
    position counted from 0. Numbers are written so that reading them gives the same doubles.
    ``pandas.read_csv(file).pivot(index="lambda", columns="feature", values="coefficient")`` makes
    a wide table.

    With K responses or classes a column ``response`` stands before ``feature``.

    Parameters
    ----------
    path : Path
    file : str or path
        "-" is standard output.
    """
    if file == "-":
        _write(path, sys.stdout)
        return
    with whole_file(file, newline="", encoding="utf-8") as stream:
        _write(path, stream)


def _write(path, stream):
    writer = csv.writer(stream, lineterminator="\n")
    several = isinstance(path.coefs, list)
    writer.writerow(["lambda", *["response"] * several, "feature", "coefficient"])
    matrices = path.coefs if several else [path.coefs]
    intercepts = path.intercepts if several else path.intercepts[None]
    responses = range(len(matrices)) if path.class_names is None else path.class_names
    for i, lam in enumerate(path.lambdas.tolist()):
        for k, matrix in enumerate(matrices):
            begin = [lam, responses[k]] if several else [lam]
            writer.writerow([*begin, "(Intercept)", float(intercepts[k, i])])
            writer.writerows(begin + cells for cells in _nonzeros(path, matrix, i))


def _nonzeros(path, matrix, i):
    """Return feature and coefficient of the nonzeros in column i."""
    part = slice(matrix.indptr[i], matrix.indptr[i + 1])
    rows, values = matrix.indices[part], matrix.data[part]
    features = rows if path.feature_names is None else path.feature_names[rows]
    for feature, value in zip(features.tolist(), values.tolist(), strict=True):
        if value != 0.0:
            yield [feature, value]
