"""Turn the points of a solver into a CRFPath."""

import numpy as np
from scipy import sparse

from sparsesolve.results.status import Status
from sparsesolve.structured.free import marked, tells_all
from sparsesolve.structured.result import CRFPath


def wrapped(points, reason, problem, labels, allowed, bound, options):
    """Return the path through these points; `bound` is the penalty as read, or None."""
    which = np.concatenate([point.which for point in points])
    starts = np.cumsum([0] + [point.df for point in points])
    values = np.concatenate([point.values for point in points])
    cut, K = problem.p * problem.K, problem.K
    df = [len(np.unique(point.which[point.which < cut] // K)) for point in points]
    columns = {
        name: np.array([getattr(point, short) for point in points])
        for name, short in (("lambdas", "lam"), ("dev_ratio", "dev_ratio"), ("gaps", "gap"),
                            ("n_iters", "n_iter"), ("status", "status"))
    }  # fmt: skip
    unbounded = None
    if options["transitions"] == "free":
        columns["status"], unbounded = marked(points, problem, labels)
    columns["status"] = np.array([
        Status.UNBOUNDED if tells_all(problem, point) else status
        for point, status in zip(points, columns["status"], strict=True)
    ])  # fmt: skip
    return CRFPath(
        **columns, unbounded=unbounded, df=np.array(df, dtype=np.int64),
        coefs=sparse.csc_array((values, which, starts),
                               shape=(problem.n_coefficients, len(points))),
        stop_reason=reason, labels=labels, n_features=problem.p, null_value=problem.null_value,
        allowed=allowed, feature_names=problem.rows.names,
        groups=None if bound is None else np.array(bound.of, dtype=np.int64),
        group_labels=None if bound is None else _group_labels(bound.layout), options=options,
    )  # fmt: skip


def _group_labels(layout):
    """Return the labels of the groups; a single feature has its number."""
    first = np.asarray(layout.member)[np.asarray(layout.start)[:-1]]
    return [int(j) if label is None else label
            for label, j in zip(layout.labels, first, strict=True)]  # fmt: skip
