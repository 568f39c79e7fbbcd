"""Parameters that mean the same in every estimator: what its docstring and its bases leave out."""

PARAMETERS = """
Parameters
----------
alpha : float
    Strength of the penalty.
l1_ratio : float in [0, 1]
    1 is the lasso, 0 ridge regression.
fit_intercept : bool
    Fit an unpenalised intercept.
standardize : bool
    Penalise coefficients of columns divided by their standard deviation.
positive : bool
    Keep coefficients nonnegative.
penalty_factor : array-like (n_features,) or mapping from names or numbers
    Factors of alpha, scaled to mean 1: 0 is unpenalised, inf excluded; those left out of a
    mapping are 1. None means 1 for all.
lower, upper : float, array-like (n_features,) or mapping from names or numbers
    Limits of the coefficients, ``lower <= 0 <= upper``; None means none.
exclude : list of names or column numbers
    Features whose coefficients are 0.
grouped : bool
    With several classes, select each feature for all or for none.
class_weight : dict, "balanced" or None
    Factors of the weights of the rows of each class; "balanced": one over the share of its rows.
max_iter : int
    Most Newton steps and sweeps; None means 100,000.
tol : float
    Duality gap to reach, relative to the loss of the model without features.
cv : int, splitter or iterable
    Folds as scikit-learn takes them; None means 5 contiguous folds.
rule : {"min", "1se"}
    The alpha of the best mean score, or the largest within one standard error of it.
verbose : bool
    Show a progress bar.
n_jobs : int
    Number of simultaneous fits; None means 1, -1 all cores.
n_threads : int
    Threads to use; -1 for all cores. The result does not depend on it.
measure : str or callable
    The score to compare: "deviance", "mse", "mae" or a function, as in
    :func:`sparsesolve.cv_path`.
warm_start : bool
    Start from the coefficients of the last fit. The solution is the same, and certified; it takes
    fewer steps if data or `alpha` have changed little.
copy_X, precompute, random_state, selection
    Parameters of scikit-learn, accepted and ignored: the shape of X decides the algorithm, X is
    never changed, and the solution does not depend on chance.
"""
