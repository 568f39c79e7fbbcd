"""The functions that compute paths. Each reads its options, assembles a problem and wraps the
result.

Those that most users call are names of :mod:`sparsesolve`. Here are `hard_threshold_path`,
`lars_path_gram` for inner products in place of data, the univariate-guided lasso
(`uni_lasso_path`), the pretrained lasso (`pretrained_path`), cooperative learning of several views
(`cooperative_path`), interactions under a hierarchy (`interaction_path`), `entries` for matrix
completion, `fused_knots` of a signal, and the methods of :mod:`bundle`.
"""

from sparsesolve.data.public_names import public_names

__all__ = [
    "bundle", "cooperative_path", "entries", "fused_knots", "hard_threshold_path",
    "interaction_path", "lars_path_gram", "pretrained_path", "uni_lasso_path",
]  # fmt: skip

HOMES = {
    "bundle": "", "cooperative_path": "paths.cooperative", "entries": "paths.signal",
    "fused_knots": "paths.signal", "hard_threshold_path": "paths.greedy",
    "interaction_path": "paths.interactions", "lars_path_gram": "paths.lars",
    "pretrained_path": "paths.pretrained", "uni_lasso_path": "paths.uni_lasso",
}  # fmt: skip
__getattr__, __dir__ = public_names(__name__, HOMES)
