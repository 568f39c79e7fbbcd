"""Problems as solvers are given them, for tests of one part."""

from sparsesolve.families import read_family
from sparsesolve.paths.assembly import read_problem

OPTIONS = {**dict.fromkeys(("weights", "offset", "penalty_factor", "lower", "upper", "penalty")),
           "alpha": 1.0, "intercept": True, "standardize": True, "n_threads": 1}  # fmt: skip


def problem_of(X, y, family="gaussian", **options):
    """The Problem of data in a path with these options."""
    return read_problem(X, y, read_family(family), **{**OPTIONS, **options})[0]
