"""The experiments of Duchi and Singer (2009) that can be run on generated data, as tables.

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


def table(title, header, lines):
    """Print a table."""
    print(f"\n{title}")
    widths = [max(len(str(line[k])) for line in [header, *lines]) for k in range(len(header))]
    for line in [header, *lines]:
        print("  ".join(f"{cell!s:>{width}}" for cell, width in zip(line, widths, strict=True)))


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
    mixed_norms, table1, rows, patches)}  # fmt: skip


def main():
    """Run the experiment that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("experiment", choices=EXPERIMENTS)
    parser.add_argument("--draws", type=int, default=5)
    args = parser.parse_args()
    EXPERIMENTS[args.experiment](args.draws)


if __name__ == "__main__":
    main()
