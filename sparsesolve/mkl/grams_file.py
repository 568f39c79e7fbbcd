"""Files of Grams of a table: all that a path of kernels needs to predict new rows elsewhere.

A kernel compares new rows with those of the fit, so these are in the file. Entries ::

    grams                   JSON: centre, scale, dtype, the kernels as [function, parameters,
                            columns or null], names of the columns or null
    gram_table (n, p)       the rows of the fit
    gram_shares (n,)        the weight of each row in means

Functions are stored by name only, so that nothing in a file is executed.
"""

import json

import numpy as np
from scipy import sparse

from sparsesolve.mkl.functions.gaussian import Gaussian, gaussian
from sparsesolve.mkl.functions.linear import Linear, linear
from sparsesolve.mkl.functions.polynomial import Polynomial, polynomial
from sparsesolve.mkl.grams import build_grams
from sparsesolve.results.files.fit_arrays import GRAMS

PARAMETERS = {"gaussian": ("width",), "polynomial": ("degree", "shift"), "linear": ()}
MAKERS = {"gaussian": gaussian, "polynomial": polynomial, "linear": linear}
NAMES = {Gaussian: "gaussian", Polynomial: "polynomial", Linear: "linear"}


def arrays_of(grams):
    """Return Grams as arrays by name; raise ValueError for a kernel function not listed above."""
    if sparse.issparse(grams.table):
        raise ValueError("rows=True keeps dense tables; make kernels of X.toarray() where it fits")
    first = grams.sources[0]
    stored = next((one.factor for one in grams.sources if one.features is not None), None)
    return {
        "grams": json.dumps({
            "centre": first.centre, "scale": first.scale,
            "dtype": "float64" if stored is None else str(stored.dtype),
            "kernels": [_named(source, m) for m, source in enumerate(grams.sources)],
            "columns": None if grams.columns is None else [str(name) for name in grams.columns],
        }),
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


def grams_of(arrays, encoder):
    """Return the Grams that :func:`arrays_of` wrote, without the kernels of the fit."""
    found = json.loads(str(arrays["grams"]))
    table, shares = arrays["gram_table"], arrays["gram_shares"]
    if table.ndim != 2 or shares.shape != (len(table),) or table.dtype != np.float64:
        raise ValueError("gram_table and gram_shares do not fit together")
    if arrays["dual_coefs"].shape[-2] != len(table):
        raise ValueError("gram_table has other rows than the fit")
    pairs = [(MAKERS[name](*parameters), columns) for name, parameters, columns in
             found["kernels"]]  # fmt: skip
    if len(pairs) != len(arrays["kernel_norms"]):
        raise ValueError("the kernels are not those of the fit")
    made = build_grams(
        table, pairs, centre=found["centre"], scale=found["scale"], weights=shares,
        dtype=found["dtype"], store=False, feature_names=found["columns"],
    ).without_kernels()  # fmt: skip
    made.encoder = encoder
    return made


GRAMS.append((arrays_of, grams_of))
