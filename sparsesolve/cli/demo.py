"""The demonstration: Efron's diabetes study and Wisconsin's tumours, with a plot of the latter."""

from dataclasses import replace

import numpy as np

from sparsesolve.paths.path import path
from sparsesolve.results.pictures.axes import AXIS_LABELS
from sparsesolve.results.pictures.path import save_plot
from sparsesolve.selection.cv import cv_path

# scikit-learn calls the six blood serum measurements s1 to s6. Their names are from Efron,
# Hastie, Johnstone and Tibshirani, "Least angle regression", Annals of Statistics 32 (2004),
# section 1.
NAMES = ("age", "sex", "bmi", "bp", "tc", "ldl", "hdl", "tch", "ltg", "glu")
# So many lines of a picture have names; more cannot be told apart.
NAMED = 11


def diabetes():
    """Return X (442, 64), the disease progression after one year y (442,), and names of columns.

    The columns are the 10 measurements, the squares of the nine that are not binary, and the 45
    products of two: the quadratic model of the paper above. Each has mean 0 and standard deviation
    1, so that the coefficients can be compared.
    """
    main, y = _datasets().load_diabetes(return_X_y=True)
    columns, names = list(main.T), list(NAMES)
    for j, name in enumerate(NAMES):
        if len(np.unique(main[:, j])) > 2:  # the square of a binary column adds nothing
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


def tumours():
    """Return pairs (X, y) of breast tumours, fitted and held out, and names of their 30 columns.

    The Wisconsin data of Street, Wolberg and Mangasarian (1993): mean, standard error and worst
    value of ten measurements of the nuclei, and "benign" or "malignant". A third of the patients,
    drawn at random, are held out. Columns are divided by their standard deviation among the
    others.
    """
    data = _datasets().load_breast_cancer()
    y = np.array(["malignant", "benign"])[data.target]
    order = np.random.default_rng(0).permutation(len(y))
    rows, rest = order[len(y) // 3 :], order[: len(y) // 3]
    mean, deviation = data.data[rows].mean(axis=0), data.data[rows].std(axis=0)
    X = (data.data - mean) / deviation
    return (X[rows], y[rows]), (X[rest], y[rest]), data.feature_names.tolist()


def held_out_deviance(fit, X, y):
    """Return shares of deviance explained and of rows classified correctly, per lambda."""
    eta, null = fit.predict(X), fit.intercepts[0]
    target = (y == fit.class_names[1])[:, None]
    loss = np.logaddexp(0.0, np.where(target, -eta, eta)).mean(axis=0)
    empty = np.logaddexp(0.0, np.where(target, -null, null)).mean()
    right = (fit.predict(X, kind="class") == y[:, None]).mean(axis=0)
    return 1.0 - loss / empty, right


def draw_diagnosis(fit, explained, right, best, file):
    """Draw the path of the tumours above the deviance explained of fitted and held-out patients.

    `best` is the index of the chosen lambda.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 9.0), dpi=150, layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=[3, 2], sharex=True)
    fit.plot(xvar="lambda", label=NAMED, ax=above)
    above.set_title("Logistic lasso path: is a tumour malignant?", loc="left", pad=12.0)
    above.set_ylabel("Coefficient (log odds per standard deviation)")
    above.set_xlabel("")
    x = -np.log(fit.lambdas)
    below.plot(x, 100 * fit.dev_ratio, color="0.6", label="patients fitted")
    below.plot(x, 100 * explained, color="C3", linewidth=1.8, label="patients held out")
    for ax in (above, below):
        ax.axvline(x[best], color="0.5", linestyle=":", linewidth=1.0, zorder=0)
    below.plot(x[best], 100 * explained[best], "o", color="C3")
    below.annotate(
        f"chosen by cross-validation:\n{fit.df[best]} measurements,\n"
        f"{100 * right[best]:.1f}% of the held-out\ndiagnoses right",
        (x[best], 0.1), xycoords=("data", "axes fraction"), xytext=(8, 0),
        textcoords="offset points", ha="left", va="bottom", color="C3",
    )  # fmt: skip
    below.set_xlabel(AXIS_LABELS["lambda"])
    below.set_ylabel("Deviance explained (%)")
    below.legend(loc="upper left", frameon=False)
    for side in ("top", "right"):
        below.spines[side].set_visible(False)
    figure.savefig(file)


def show_diabetes(file, progress):
    """Fit the diabetes data, print table and certificate, draw the path into a file."""
    X, y, names = diabetes()
    # Further down the columns are collinear, and the coefficients dwarf all others.
    fit = path(X, y, lambda_min_ratio=0.01, progress=progress)
    fit = replace(fit, feature_names=np.array(names))
    print(fit)
    worst = int(np.argmax(fit.gaps))
    print(
        f"\nEvery line is certified: its objective is above the minimum by at most Gap times the "
        f"objective\nof the empty model. The worst gap is {fit.gaps[worst]:.1e}, on line {worst}."
    )
    save_plot(
        fit,
        file,
        "lambda",
        title="Lasso path: diabetes progression on 64 measurements, products and squares",
        ylabel="Coefficient (progression score per standard deviation)",
        label=NAMED,
    )


def show_tumours(file, progress):
    """Choose lambda by cross-validation of the fitted tumours, and report on the held-out ones.

    Held-out rows do not influence the choice, so results on them hold for new patients.
    """
    (X, y), (X_new, y_new), names = tumours()
    cv = cv_path(X, y, family="binomial", n_lambdas=60, lambda_min_ratio=5e-4, n_folds=10,
                 seed=0, progress=progress)  # fmt: skip
    fit = replace(cv.path, feature_names=np.array(names))
    print(fit)
    explained, right = held_out_deviance(fit, X_new, y_new)
    best = cv.index_min
    print(
        f"\nThe worst gap of this path is {fit.gaps.max():.1e}. Ten-fold cross-validation on the "
        f"{len(y)} tumours fitted\nchooses line {best}, with {fit.df[best]} measurements. On the "
        f"{len(y_new)} tumours held out, which played no part\nin the choice, this model explains "
        f"{100 * explained[best]:.1f}% of the deviance and classifies "
        f"{100 * right[best]:.1f}%\ncorrectly."
    )
    draw_diagnosis(fit, explained, right, best, file)


def _datasets():
    try:
        import sklearn.datasets as datasets
    except ImportError:
        raise ImportError(
            "the demo reads data that scikit-learn carries: pip install 'sparsesolve[demo]'"
        ) from None
    return datasets
