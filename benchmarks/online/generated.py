"""The experiments of Duchi and Singer (2009) that can be run on generated data, as tables.

    python benchmarks/online/generated.py sensitivity   # Figs. 1-2: step sizes, l1 logistic
    python benchmarks/online/generated.py hinge         # Fig. 3: step sizes, hinge with ridge
    python benchmarks/online/generated.py pegasos       # Fig. 4: FOBOS and Pegasos
    python benchmarks/online/generated.py solvers       # Figs. 5-6: stochastic steps and SpaRSA
    python benchmarks/online/generated.py mixed_norms   # Fig. 7: rows of classes, objective
    python benchmarks/online/generated.py table1        # Table 1: lazy steps and projections
    python benchmarks/online/generated.py rows          # Fig. 11: rows of classes, zero or not
    python benchmarks/online/generated.py patches       # Fig. 12, on scikit-learn's two images

`--draws` says over how many random draws; every table names its settings.  Objectives are given as
the distance from the optimum of `sparsesolve.path`, which is certified.
"""

import argparse
import time

import numpy as np

import sparsesolve as ss


def correlated(rng, n, d, share):
    """Rows with mean absolute correlation near `share`, the largest entry of each being 1."""
    factor = rng.normal(size=(d, d)) / np.sqrt(d)
    common = rng.normal(size=d) * np.sqrt(share * 2.0)
    X = rng.normal(size=(n, d)) @ (np.eye(d) + factor).T + np.outer(rng.normal(size=n), common)
    return X / np.abs(X).max(axis=1, keepdims=True)


def logistic_data(rng, n, d, share, flips):
    """Rows and labels of a linear rule with half of the weights zero, some labels flipped."""
    X, w = correlated(rng, n, d, share), rng.normal(size=d) * (rng.random(d) < 0.5)
    y = X @ w > 0
    return X, np.where(rng.random(n) < flips, ~y, y).astype(float)


def objective(X, y, b, lam, loss="log", ridge=False):
    """Mean loss plus penalty, without an intercept."""
    eta = X @ b
    values = np.logaddexp(0.0, eta) - y * eta if loss == "log" else np.maximum(
        0.0, 1.0 - (2 * y - 1) * eta)  # fmt: skip
    return values.mean() + lam * (b @ b / 2 if ridge else np.abs(b).sum())


def best_l1(X, y, lam):
    """The optimal weights of l1 logistic regression without an intercept."""
    fit = ss.path(X, y, family="binomial", standardize=False, intercept=False,
                  lambdas=lam * 10.0 ** np.linspace(1, 0, 8), tol=1e-9)  # fmt: skip
    return fit.coef(lam)


def table(title, header, lines):
    """Print a table."""
    print(f"\n{title}")
    widths = [max(len(str(line[k])) for line in [header, *lines]) for k in range(len(header))]
    for line in [header, *lines]:
        print("  ".join(f"{cell!s:>{width}}" for cell, width in zip(line, widths, strict=True)))


def sensitivity(draws):
    """Figs. 1-2: the objective above its optimum after 40 passes' operations, by eta0."""
    n, d = 400, 800
    lam, etas = 0.25 / np.sqrt(n), 10.0 ** np.linspace(-1, 2, 7)
    for share in (0.2, 0.3):
        found = {}
        for seed in range(draws):
            X, y = logistic_data(np.random.default_rng(seed), n, d, share, 0.05)
            least = objective(X, y, best_l1(X, y, lam), lam)
            for schedule in ("sqrt", "inverse", "constant"):
                for batch in (1, 40, 80, n):
                    for eta in etas:
                        step = eta / np.sqrt(40 * n / batch) if schedule == "constant" else eta
                        fit = ss.online(
                            X, y, family="binomial", lam=lam, method="fobos", step=step,
                            schedule=schedule, batch=batch, intercept=False, passes=40,
                            shuffle=True, seed=seed)  # fmt: skip
                        gap = objective(X, y, fit.coef(), lam) - least
                        found.setdefault((schedule, batch), {}).setdefault(eta, []).append(gap)
        lines = [[schedule, batch, *[f"{np.mean(gaps[eta]):.1e}" for eta in etas]]
                 for (schedule, batch), gaps in found.items()]  # fmt: skip
        table(f"l1 logistic, n = {n}, d = {d}, correlation near {share}, {draws} draws",
              ["schedule", "batch", *[f"{eta:.2g}" for eta in etas]], lines)  # fmt: skip


def hinge(draws):
    """Fig. 3: hinge loss with ridge, 1 / lam = 80; 1/(lam t) should be best near eta0 = 80."""
    n, d, lam = 400, 800, 1.0 / 80.0
    etas, found = np.array([0.35, 1.0, 3.0, 10.0, 30.0, 80.0, 160.0]), {}
    for seed in range(draws):
        X, y = logistic_data(np.random.default_rng(seed), n, d, 0.2, 0.05)
        fits = {}
        for schedule in ("sqrt", "inverse"):
            for eta in etas:
                fits[schedule, eta] = learn_hinge(X, y, lam, step=eta, schedule=schedule)
        certified = min(objective(X, y, b, lam, "hinge", True) for b in fits.values())
        for key, b in fits.items():
            found.setdefault(key, []).append(objective(X, y, b, lam, "hinge", True) - certified)
    lines = [[schedule, *[f"{np.mean(found[schedule, eta]):.1e}" for eta in etas]]
             for schedule in ("sqrt", "inverse")]  # fmt: skip
    table(f"hinge with ridge, above the best of these, 20 passes, {draws} draws",
          ["schedule", *[f"{eta:g}" for eta in etas]], lines)  # fmt: skip


def learn_hinge(X, y, lam, passes=20, **options):
    """Weights of FOBOS."""
    fit = ss.online(X, y, family=ss.families.hinge(), lam=lam, alpha=0.0, method="fobos",
                    intercept=False, passes=passes, shuffle=True, **options)  # fmt: skip
    return fit.coef()


def pegasos_steps(X, y, lam, passes, project=True, loss="hinge", seed=0):
    """Pegasos: a subgradient step on loss and ridge together, then the ball of radius lam^-1/2."""
    w, t, rng, sides = np.zeros(X.shape[1]), 0, np.random.default_rng(seed), 2 * y - 1
    for _ in range(passes):
        for i in rng.permutation(len(X)):
            t += 1
            margin = sides[i] * (X[i] @ w)
            pull = float(margin < 1.0) if loss == "hinge" else 1.0 / (1.0 + np.exp(margin))
            w = (1.0 - 1.0 / t) * w + pull * sides[i] / (lam * t) * X[i]
            if project:
                w *= min(1.0, 1.0 / (np.sqrt(lam) * max(np.linalg.norm(w), 1e-300)))
    return w


def pegasos(draws):
    """Fig. 4: FOBOS and Pegasos with eta = 1 / (lam t), hinge projected and logistic not."""
    n, d, lam, lines = 1000, 400, 0.01, []
    for passes in (1, 2, 5, 10):
        cells = {"hinge": [], "log": []}
        for seed in range(draws):
            rng = np.random.default_rng(seed)
            w = rng.normal(size=d) * (rng.random(d) < 0.5)
            X = rng.normal(size=(n, d))
            y = np.where(rng.random(n) < 0.1, X @ w <= 0, X @ w > 0).astype(float)
            options = {"lam": lam, "alpha": 0.0, "method": "fobos", "step": 1.0 / lam,
                       "schedule": "inverse", "intercept": False, "passes": passes,
                       "shuffle": True}  # fmt: skip
            for loss, family, radius in (("hinge", ss.families.hinge(), lam**-0.5),
                                         ("log", "binomial", None)):  # fmt: skip
                ours = ss.online(X, y, family=family, radius=radius, **options).coef()
                theirs = pegasos_steps(X, y, lam, passes, radius is not None, loss)
                cells[loss].append([objective(X, y, b, lam, loss, True) for b in (ours, theirs)])
        means = [np.mean(cells[loss], axis=0) for loss in ("hinge", "log")]
        lines.append([passes, *[f"{value:.4f}" for pair in means for value in pair]])
    table(f"objective, n = {n}, d = {d}, lam = {lam}, {draws} draws",
          ["passes", "FOBOS hinge", "Pegasos hinge", "FOBOS log", "Pegasos log"],
          lines)  # fmt: skip


def solvers(draws):
    """Figs. 5-6: passes over the data that stochastic steps and SpaRSA need to be within 1e-2."""
    n, d, lines = 1000, 400, []
    for share in (0.0, 0.2, 0.3):
        for level in (0.3, 0.1, 0.03):
            cells = []
            for seed in range(draws):
                X, y = logistic_data(np.random.default_rng(seed), n, d, share, 0.05)
                lam = level * np.abs(X.T @ (y - 0.5)).max() / n
                b = best_l1(X, y, lam)
                least = objective(X, y, b, lam)
                row = [np.mean(b == 0.0)]
                for passes in (1, 5):
                    fit = ss.online(X, y, family="binomial", lam=lam, intercept=False,
                                    passes=passes, shuffle=True)  # fmt: skip
                    row.append(objective(X, y, fit.coef(), lam) - least)
                for steps in (5, 25):
                    with np.errstate(all="ignore"):
                        fit = quiet_path(X, y, lam, steps)
                    row.append(objective(X, y, fit.coef(lam), lam) - least)
                cells.append(row)
            mean = np.mean(cells, axis=0)
            lines.append([share, level, f"{mean[0]:.0%}", *[f"{cell:.1e}" for cell in mean[1:]]])
    table(f"l1 logistic, n = {n}, d = {d}, above the optimum, {draws} draws",
          ["correlation", "lam / lam_max", "zeros", "ftrl 1 pass", "ftrl 5", "SpaRSA 5 steps",
           "SpaRSA 25"], lines)  # fmt: skip


def mixed_norms(draws):
    """Fig. 7: l1/l2 with ten classes, above the optimum after passes, by share of zero rows."""
    n, d, K, lines = 5000, 1000, 10, {}
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        W = rng.normal(size=(d, K)) * (rng.random(d) < 0.5)[:, None]
        X = rng.normal(size=(n, d))
        labels = np.where(rng.random(n) < 0.05, rng.integers(0, K, n), (X @ W).argmax(axis=1))
        options = {"family": "multinomial", "grouped": True, "intercept": False}
        for level in (0.6, 0.3, 0.05):
            top = np.linalg.norm(X.T @ (np.eye(K)[labels] - 1.0 / K), axis=1).max() / n
            lam = level * top
            best = ss.path(X, labels, standardize=False, tol=1e-6,
                           lambdas=top * np.geomspace(1.0, level, 8), **options)  # fmt: skip
            least = rows_objective(X, labels, best.coef(lam), lam)
            zero = np.mean(~best.coef(lam).any(axis=0))
            for method, batch, passes in (("fobos", 100, 1), ("fobos", 100, 10), ("fobos", n, 50),
                                          ("rda", 100, 10), ("ftrl", 1, 1),
                                          ("ftrl", 1, 5)):  # fmt: skip
                fit = ss.online(X, labels, lam=lam, method=method, batch=batch, passes=passes,
                                shuffle=True, seed=seed, **options)  # fmt: skip
                gap = rows_objective(X, labels, fit.coef(), lam) - least
                found = [zero, np.mean(~fit.coef().any(axis=0)), gap]
                lines.setdefault((level, method, batch, passes), []).append(found)
    table(f"l1/l2, n = {n}, d = {d}, {K} classes, above the optimum, {draws} draws",
          ["lam / lam_max", "method", "rows a step", "passes", "zero rows of the optimum",
           "of these", "above"], [
        [*key, *(f"{value:.0%}" for value in np.mean(found, axis=0)[:2]),
         f"{np.mean(found, axis=0)[2]:.1e}"] for key, found in lines.items()])  # fmt: skip


def rows_objective(X, labels, W, lam):
    """Mean multinomial loss of W (K, p) plus lam times the sum of the lengths of its columns."""
    eta = X @ W.T
    loss = np.logaddexp.reduce(eta, axis=1) - eta[np.arange(len(X)), labels]
    return loss.mean() + lam * np.linalg.norm(W, axis=0).sum()


def quiet_path(X, y, lam, steps):
    """SpaRSA stopped after some steps, without the warning that it has missed its target."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ss.path(X, y, family="binomial", standardize=False, intercept=False, lambdas=[lam],
                       solver="sparsa", max_iter=steps)  # fmt: skip


def project_l1(v, radius):
    """Onto the l1 ball, in the time of a partial sort."""
    size = np.abs(v)
    if size.sum() <= radius:
        return v
    top = np.sort(size)[::-1]
    theta = (np.cumsum(top) - radius) / np.arange(1, len(top) + 1)
    cut = theta[np.flatnonzero(top > theta)[-1]]
    return np.sign(v) * np.maximum(size - cut, 0.0)


def table1(draws):
    """Table 1: one step with s non-zeros of d, lazily, and by a dense projection that sorts."""
    from scipy import sparse

    lines = []
    for d in (50_000, 200_000, 800_000, 3_200_000):
        for s in (5_000, 20_000):
            rng = np.random.default_rng(0)
            columns = np.sort(rng.choice(d, size=(50, s)), axis=1)
            X = sparse.csr_array((rng.normal(size=50 * s), columns.ravel(),
                                  np.arange(51) * s), shape=(50, d))  # fmt: skip
            X.sum_duplicates()
            y = rng.integers(0, 2, 50).astype(float)
            fit = ss.online(X, y, family="binomial", lam=1e-6, method="fobos", step=1e-3)
            lazy = least(lambda f=fit, A=X, t=y: f.more(A, t), draws) / 50
            w = rng.normal(size=d)
            dense = least(lambda v=w: project_l1(v, 0.5 * np.abs(v).sum()), max(draws // 4, 1))
            lines.append([d, s, f"{1e3 * lazy:.3f}", f"{1e3 * dense:.2f}", f"{dense / lazy:.0f}"])
    table(f"milliseconds a step, least of {draws}",
          ["d", "s", "lazy FOBOS", "dense projection", "ratio"], lines)  # fmt: skip


def least(run, times):
    """The least processor time of some runs."""
    found = []
    for _ in range(times):
        begun = time.process_time()
        run()
        found.append(time.process_time() - begun)
    return min(found)


def rows_data(seed):
    """Fig. 11's data: 200 features, 30 classes, 1000 rows, the first 100 features idle."""
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(200, 30))
    W[:100] = 0.0
    X = rng.normal(size=(1000, 200))
    labels = (X @ W).argmax(axis=1)
    noise = rng.random(1000) < 0.1
    return X, np.where(noise, rng.integers(0, 30, 1000), labels)


ROW_PENALTIES = {
    "l1/l2": lambda: ss.penalties.GroupL2(np.arange(200)),
    "l1/linf": lambda: ss.penalties.GroupLinf(np.arange(200), weights=np.ones(200)),
    "l1": lambda: None,
}


def rows(draws):
    """Fig. 11: idle features whose row is zero, and good ones lost, at half zero weights."""
    for name, make in ROW_PENALTIES.items():
        cells = {}
        for seed in range(draws):
            X, labels = rows_data(seed)
            options = {"family": "multinomial", "penalty": make(), "intercept": False}
            lam = half_zero(X, labels, options)
            for method, step, batch, passes in (
                ("fobos, full gradients", None, 1000, 300), ("fobos", "auto", 1, 20),
                ("rda", "auto", 1, 20), ("ftrl", "auto", 1, 20),
            ):  # fmt: skip
                if step is None:
                    step = 3.0 / (0.5 * np.linalg.eigvalsh(X.T @ X / 1000)[-1])
                fit = ss.online(X, labels, lam=lam, method=method.split(",")[0], step=step,
                                batch=batch, passes=passes, shuffle=batch == 1,
                                **options)  # fmt: skip
                zero = ~fit.coef().any(axis=0)
                cells.setdefault(method, []).append([
                    zero[:100].mean(), zero[100:].mean(), np.mean(fit.coef() == 0.0)])
        lines = [[method, *[f"{value:.1%}" for value in np.mean(found, axis=0)]]
                 for method, found in cells.items()]  # fmt: skip
        table(f"{name}, {draws} draws", ["method", "idle rows found", "good rows lost", "zeros"],
              lines)  # fmt: skip


def half_zero(X, labels, options):
    """The lam at which half of the weights are zero, by bisection on full-gradient FOBOS."""
    indicator = np.eye(30)[labels] - 1.0 / 30.0
    top = np.abs(X.T @ indicator).sum(axis=1).max() / len(X)  # enough for any of the three norms
    low, high = 1e-3 * top, top
    step = 3.0 / (0.5 * np.linalg.eigvalsh(X.T @ X / len(X))[-1])
    for _ in range(10):
        lam = np.sqrt(low * high)
        fit = ss.online(X, labels, lam=lam, method="fobos", step=step, batch=len(X), passes=150,
                        **options)  # fmt: skip
        low, high = (low, lam) if np.mean(fit.coef() == 0.0) > 0.5 else (lam, high)
    return np.sqrt(low * high)


def patches(draws):
    """Fig. 12: error of patches by the share of a dictionary that any of them uses."""
    from sklearn.datasets import load_sample_images
    from sklearn.feature_extraction.image import extract_patches_2d

    image = load_sample_images().images[0].mean(axis=2) / 255.0
    P = extract_patches_2d(image, (8, 8), max_patches=1120, random_state=0).reshape(-1, 64)
    P -= P.mean(axis=1, keepdims=True)
    C, Y = P[:1000].T, P[1000:].T  # atoms are columns, patches responses
    C = C / np.maximum(np.linalg.norm(C, axis=0), 1e-6)
    lines = []
    atoms = np.arange(1000)
    norms = {"l1/l2": (ss.penalties.GroupL2(atoms), "auto"),
             "l1/linf": (ss.penalties.GroupLinf(atoms), "fista")}  # fmt: skip
    for name, (penalty, solver) in norms.items():
        fit = ss.path(C, Y, family="multigaussian", penalty=penalty, standardize=False,
                      intercept=False, n_lambdas=20, lambda_min_ratio=0.02, tol=1e-3,
                      solver=solver)  # fmt: skip
        for share in (0.05, 0.1, 0.2, 0.4):
            k = int(np.abs(fit.df / 1000 - share).argmin())
            B = np.stack([coefs.toarray()[:, k] for coefs in fit.coefs])
            error = np.linalg.norm(Y.T - B @ C.T) / np.linalg.norm(Y)
            lines.append([name, f"{fit.df[k] / 1000:.1%}", f"{error:.3f}"])
    table("120 patches, 1,000 atoms: relative error by share of atoms in use",
          ["penalty", "atoms", "error"], lines)  # fmt: skip


EXPERIMENTS = {experiment.__name__: experiment for experiment in (
    sensitivity, hinge, pegasos, solvers, mixed_norms, table1, rows, patches)}  # fmt: skip


def main():
    """Run the experiment that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("experiment", choices=EXPERIMENTS)
    parser.add_argument("--draws", type=int, default=5)
    args = parser.parse_args()
    EXPERIMENTS[args.experiment](args.draws)


if __name__ == "__main__":
    main()
