"""The demonstration's data: Efron's diabetes study, with all products and squares."""

import numpy as np

# The six blood serum measurements, which scikit-learn calls s1 to s6, as named in Efron, Hastie,
# Johnstone and Tibshirani, "Least angle regression", Annals of Statistics 32 (2004), section 1.
NAMES = ("age", "sex", "bmi", "bp", "tc", "ldl", "hdl", "tch", "ltg", "glu")


def diabetes():
    """Disease progression after one year in 442 patients, with 64 standardised columns.

    The columns are the 10 measurements, the squares of the nine that are not binary, and the 45
    products of two: the quadratic model of the paper above. Each has mean 0 and standard
    deviation 1, so that the coefficients can be compared.

    Returns
    -------
    X : ndarray, shape (442, 64), column-major
    y : ndarray, shape (442,)
    names : list of 64 str

    Raises
    ------
    ImportError
        If scikit-learn, which carries the data, is not installed.
    """
    try:
        from sklearn.datasets import load_diabetes
    except ImportError:
        raise ImportError(
            "the demo reads scikit-learn's diabetes data: pip install 'sparsesolve[demo]'"
        ) from None
    main, y = load_diabetes(return_X_y=True)
    columns, names = list(main.T), list(NAMES)
    for j, name in enumerate(NAMES):
        if len(np.unique(main[:, j])) > 2:  # the square of a binary column says nothing new
            columns.append(main[:, j] ** 2)
            names.append(f"{name}²")
    for j, left in enumerate(NAMES):
        for k in range(j + 1, len(NAMES)):
            columns.append(main[:, j] * main[:, k])
            names.append(f"{left}·{NAMES[k]}")
    X = np.asfortranarray(np.column_stack(columns))
    X -= X.mean(axis=0)
    X /= X.std(axis=0)
    return X, y, names
