"""Files of Grams of a table: all that a path of kernels needs to predict new rows elsewhere.

A kernel compares new rows with those of the fit, so these are in the file. Entries ::

    grams                   JSON: centre, scale, dtype, the kernels as [function, parameters,
                            columns or null], names of the columns or null
    gram_table (n, p)       the rows of the fit
    gram_shares (n,)        the weight of each row in means

Functions are stored by name only, so that nothing in a file is executed.
"""

import numpy as np
from scipy import sparse

from sparsesolve.mkl.functions import Gaussian, Linear, Polynomial, gaussian, linear, polynomial
from sparsesolve.mkl.grams import build_grams
from sparsesolve.results.files.fit_arrays import CV_KERNELS, GRAMS, KERNELS
from sparsesolve.results.files.model_arrays import Damaged, Form

PARAMETERS = {"gaussian": ("width",), "polynomial": ("degree", "shift"), "linear": ()}
MAKERS = {"gaussian": gaussian, "polynomial": polynomial, "linear": linear}
NAMES = {Gaussian: "gaussian", Polynomial: "polynomial", Linear: "linear"}


def values_of(grams):
    """Return the members of Grams by name; raise ValueError for a function not listed above."""
    if sparse.issparse(grams.table):
        raise ValueError("rows=True keeps dense tables; make kernels of X.toarray() where it fits")
    first = grams.sources[0]
    stored = next((one.factor for one in grams.sources if one.features is not None), None)
    return {
        "grams": {
            "centre": first.centre, "scale": first.scale,
            "dtype": "float64" if stored is None else str(stored.dtype),
            "kernels": [_named(source, m) for m, source in enumerate(grams.sources)],
            "columns": None if grams.columns is None else [str(name) for name in grams.columns],
        },
        "gram_table": np.asarray(grams.table, dtype=np.float64),
        "gram_shares": np.asarray(first.shares),
    }  # fmt: skip


def _named(source, m):
    """Return [function, parameters, columns] of one kernel."""
    name = NAMES.get(type(source.function))
    if name is None:
        raise ValueError(
            f"kernel {m} is {source.function!r}, which cannot be saved; only gaussian, polynomial "
            "and linear ones are: leave rows out, or pickle the fit"
        )
    parameters = [getattr(source.function, field) for field in PARAMETERS[name]]
    return [name, parameters, source.columns]


def grams_of(values):
    """Return the Grams of checked members, without the kernels of the fit."""
    found, table = values["grams"], values["gram_table"]
    kernels = found.get("kernels")
    if type(kernels) is not list or len(kernels) != len(values["kernel_norms"]):
        raise Damaged("the kernels are not those of the fit")
    made = build_grams(
        table, [_pair(*kernel) for kernel in kernels], centre=found["centre"],
        scale=found["scale"], weights=values["gram_shares"], dtype=found["dtype"], store=False,
        feature_names=found.get("columns"),
    ).without_kernels()  # fmt: skip
    made.encoder = values.get("encoder")
    if made.encoder is not None and len(made.encoder.names) != table.shape[1]:
        raise Damaged("encoder has another number of columns")
    return made


def _pair(name, parameters, columns):
    """Return (function, columns) of one kernel."""
    return MAKERS[name](**dict(zip(PARAMETERS[name], parameters, strict=True))), columns


def _whole(values, sizes):
    """Refuse a table of kernels of which a part is missing."""
    if len({name in values for name in ("grams", "gram_table", "gram_shares")}) > 1:
        raise Damaged("grams, gram_table and gram_shares belong together")


TABLE = {
    "grams?": {"centre": Form("b"), "scale": Form("l", none=True), "dtype": Form("U"),
               "columns?": Form("U", "c", none=True)},
    "gram_table?": Form("f", "nc"), "gram_shares?": Form("f", "n", low=0.0), "whole": _whole,
}  # fmt: skip
KERNELS.update(TABLE)
CV_KERNELS.update(TABLE)
GRAMS.append((values_of, grams_of))
