"""The functions that compute paths. Each reads its options, assembles a problem and wraps the
result.

Those that most users call are names of :mod:`sparsesolve`. Here are `hard_threshold_path`,
`lars_path_gram` for inner products in place of data, and the methods of :mod:`bundle`.
"""

from sparsesolve.data.public_names import public_names

__all__ = ["bundle", "hard_threshold_path", "lars_path_gram"]

HOMES = {"bundle": "", "hard_threshold_path": "paths.greedy", "lars_path_gram": "paths.lars"}
__getattr__, __dir__ = public_names(__name__, HOMES)
