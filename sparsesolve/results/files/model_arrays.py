"""Checks of the arrays of a model file before they are used: a file may hold anything."""

import json

import numpy as np

from sparsesolve.results.status import Status

NUMBERS = {"f": "numbers", "iu": "whole numbers", "iuf": "numbers"}
# name: (kinds of dtype, dimensions by their letter, whether all must be finite).
LAMBDAS = {
    "lambdas": ("f", "L", True), "df": ("iu", "L", True), "dev_ratio": ("f", "L", False),
    "gaps": ("f", "L", False), "n_iters": ("iu", "L", True), "status": ("iu", "L", True),
    "null_deviance": ("f", "", False),
}  # fmt: skip
COEFS = {
    "coef_data": ("f", "m", True), "coef_indices": ("iu", "m", True),
    "coef_indptr": ("iu", "o", True), "coef_shape": ("iu", "t", True),
}  # fmt: skip
KERNELS = {
    "norm": ("U", "", False), "kernel_norms": ("f", "ML", True),
    "kernel_weights": ("f", "ML", True),
}  # fmt: skip
CURVE = {
    "mean": ("f", "L", False), "std": ("f", "L", False), "n_nonzero": ("iuf", "L", True),
    "fold_scores": ("f", "FL", False), "fold_weights": ("iuf", "F", True),
}  # fmt: skip
OPTIONAL = {
    "feature_names": ("U", "p", False), "groups": ("iu", "p", True),
    "kernel_names": ("U", "M", False),
}  # fmt: skip


def check_arrays(arrays):
    """Raise ValueError unless the arrays fit together as those of a path or a curve."""
    kind = str(arrays["kind"])
    if kind not in ("path", "knots", "cv", "kernels"):
        raise ValueError(f"kind is {kind!r}, which is not a model")
    sizes = {}
    _check(arrays, LAMBDAS, sizes)
    intercepts = arrays["intercepts"]
    K = len(intercepts) if intercepts.ndim == 2 else 1
    _check(arrays, {"intercepts": ("f", "KL" if intercepts.ndim == 2 else "L", True)}, sizes)
    lambdas = arrays["lambdas"]
    if (lambdas < 0.0).any() or not (np.diff(lambdas) < 0.0).all():
        raise ValueError("lambdas is not falling and at least 0")
    if not np.isin(arrays["status"], range(len(Status))).all():
        raise ValueError("status holds a code that is not a status")
    if kind == "kernels":
        duals = ("f", "KnL" if intercepts.ndim == 2 else "nL", True)
        _check(arrays, {**KERNELS, "dual_coefs": duals}, sizes)
    else:
        sizes["p"] = _check_coefs(arrays, K)
    _check(arrays, {name: form for name, form in OPTIONAL.items() if name in arrays}, sizes)
    classes = arrays.get("class_names")
    if classes is not None and classes.shape != (K if intercepts.ndim == 2 else 2,):
        raise ValueError(f"class_names has shape {classes.shape}, which does not fit the others")
    _check_text(arrays, "options", ("has_offset",))
    if "feature_groups" in arrays:
        _check_groups(json.loads(str(arrays["feature_groups"])), sizes.get("p", 0))
    if kind == "cv":
        _check(arrays, CURVE, sizes)
        chosen = _check_text(arrays, "cv_options", ("measure", "index_min", "index_1se"))
        for name in ("index_min", "index_1se"):
            if type(chosen[name]) is not int or not 0 <= chosen[name] < len(lambdas):
                raise ValueError(f"{name} is {chosen[name]!r} for {len(lambdas)} lambdas")


def _check(arrays, forms, sizes):
    """Check types, finiteness, and dimensions: equal letters must have equal sizes."""
    for name, (kinds, letters, finite) in forms.items():
        array = arrays[name]
        if array.dtype.kind not in kinds or array.ndim != len(letters):
            wanted = NUMBERS.get(kinds, "text")
            raise ValueError(
                f"{name} is of type {array.dtype} and shape {array.shape}, not {len(letters)}-"
                f"dimensional {wanted}"
            )
        for letter, size in zip(letters, array.shape, strict=True):
            if size != sizes.setdefault(letter, size):
                raise ValueError(f"{name} has shape {array.shape}, which does not fit the others")
        if finite and array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{name} holds NaN or infinity")


def _check_coefs(arrays, K):
    """Check that compressed columns point only into themselves; return the number of features."""
    _check(arrays, COEFS, {"t": 2})
    rows, columns = arrays["coef_shape"].tolist()
    if rows < K or rows % K or columns != len(arrays["lambdas"]):
        raise ValueError(f"coef_shape is {(rows, columns)} for {len(arrays['lambdas'])} lambdas")
    indptr, indices = arrays["coef_indptr"], arrays["coef_indices"]
    if len(indptr) != columns + 1 or indptr[0] != 0 or indptr[-1] != len(indices):
        raise ValueError("coef_indptr does not fit the coefficients")
    if (indptr[1:] < indptr[:-1]).any():
        raise ValueError("coef_indptr falls")
    if len(indices) and not (indices.min() >= 0 and indices.max() < rows):
        raise ValueError(f"coef_indices leads beyond the {rows} rows")
    return rows // K


def _check_groups(pairs, p):
    """Check that groups are pairs of a name and of different features."""
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names) or not all(isinstance(name, str | int) for name in names):
        raise ValueError("feature_groups has two groups of one name, or one without")
    for name, which in pairs:
        numbers = isinstance(which, list) and all(type(j) is int and 0 <= j < p for j in which)
        if not numbers or len(set(which)) < len(which):
            raise ValueError(f"feature_groups does not hold features for group {name!r}")


def _check_text(arrays, name, needed):
    """Check that a text is a JSON object with these entries."""
    found = json.loads(str(arrays[name]))
    if not isinstance(found, dict) or not set(needed) <= set(found):
        raise ValueError(f"{name} is not what was written")
    return found
