"""The peers of the paths of one response: a runner per package, each as `peers` describes it.

Where a package has no intercept of its own in the gaussian family, y and dense columns are centred
already (no approximation), and sparse columns are centred implicitly through the package's own
argument. Packages without a path are fitted lambda by lambda, warm-started where they can be.
celer's logistic model and liblinear penalise their intercept: it is the coefficient of a column of
WIDE, penalised by a WIDEth; the certificate counts what that costs.
"""

import numpy as np
from scipy import sparse

WIDE = 1000.0


def adelie(q):
    import adelie as ad

    glm = getattr(ad.glm, q.loss)

    def solve(tol, lams):
        wrap = ad.matrix.sparse if sparse.issparse(q.X) else ad.matrix.dense
        state = ad.grpnet(wrap(q.X, method="naive", n_threads=1), glm(q.y), alpha=q.alpha,
                          lmda_path=lams, tol=tol, irls_tol=tol, early_exit=False,
                          max_iters=10**9, n_threads=1, progress_bar=False)
        return state.betas.T

    return solve


def adelie_cov(q):
    import adelie as ad

    def solve(tol, lams):
        y = q.y - q.y.mean()
        gram, v = np.asfortranarray(q.X.T @ q.X / y.size), q.X.T @ y / y.size
        state = ad.gaussian_cov(ad.matrix.dense(gram, method="cov", n_threads=1), v,
                                alpha=q.alpha, lmda_path=lams, tol=tol, early_exit=False,
                                max_iters=10**9, n_threads=1, progress_bar=False)
        return state.betas.T

    return solve


def celer_lasso(q):
    from celer.homotopy import celer_path

    def solve(tol, lams):
        y, centring = q.y - q.y.mean(), {}
        if sparse.issparse(q.X):
            means = np.asarray(q.X.mean(axis=0)).ravel()
            centring = dict(X_offset=means, X_scale=np.ones(means.size))
        # its gap is relative to |y|^2 / n = 2 P(0)
        return celer_path(q.X, y, "lasso", alphas=lams, l1_ratio=q.alpha, tol=tol / 2, prune=True,
                          max_iter=10**5, max_epochs=10**6, **centring)[1]

    return solve


def celer_logistic(q):
    from celer.homotopy import celer_path

    n, p = q.X.shape
    wide = np.full((n, 1), WIDE)
    if sparse.issparse(q.X):
        X = sparse.csc_matrix(sparse.hstack((q.X, wide)))
    else:
        X = np.asfortranarray(np.hstack((q.X, wide)))
    y = 2 * q.y - 1

    def solve(tol, lams):
        return celer_path(X, y, "logreg", alphas=n * lams, tol=tol, prune=True, max_iter=10**4,
                          max_epochs=10**6, use_PN=True)[1][:p]

    return solve


def glmstar(q):
    import glmnet

    estimators = {"gaussian": "GaussNet", "binomial": "LogNet", "poisson": "FishNet"}
    return glmnet_path(q, getattr(glmnet, estimators[q.loss]))


def glmnet_path(q, estimator, **options):
    """The package of glmnet's authors for Python, whose import name is glmnet."""
    from glmnet.paths.fastnet import FastNetControl

    def solve(tol, lams):
        control = FastNetControl(fdev=0.0, devmax=1.0, thresh=tol, maxit=2 * 10**9)
        fit = estimator(lambda_values=lams, alpha=q.alpha, standardize=False, control=control,
                        **options).fit(q.X, q.y)  # fmt: skip
        return fit.coefs_.T

    return solve


def skglm_gaussian(q):
    from skglm.datafits import Quadratic
    from skglm.penalties import L1, L1_plus_L2
    from skglm.solvers import AndersonCD

    def solve(tol, lams):
        # its tolerance is a violation of the optimality conditions, in the units of lambda
        centred = not sparse.issparse(q.X)
        solver = AndersonCD(tol=tol * q.lambdas[0], fit_intercept=not centred, max_iter=10**4,
                            max_epochs=10**6)
        penalty = L1(1.0) if q.alpha == 1 else L1_plus_L2(1.0, q.alpha)
        y = q.y - q.y.mean() if centred else q.y
        return solver.path(q.X, y, Quadratic(), penalty, alphas=lams)[1][: q.X.shape[1]]

    return solve


def skglm_newton(q):
    from skglm import datafits
    from skglm.penalties import L1, L1_plus_L2
    from skglm.solvers import ProxNewton

    p = q.X.shape[1]
    binomial = q.loss == "binomial"
    y = 2 * q.y - 1 if binomial else q.y

    def solve(tol, lams):
        # its tolerance is a violation of the optimality conditions, in the units of lambda
        solver = ProxNewton(tol=tol * q.lambdas[0], max_iter=10**4)
        datafit = datafits.Logistic() if binomial else datafits.Poisson()
        penalty = L1(1.0) if q.alpha == 1 else L1_plus_L2(1.0, q.alpha)
        B, w, fit = np.zeros((p, lams.size)), np.zeros(p + 1), np.zeros(y.size)
        for k, lam in enumerate(lams):
            penalty.alpha = lam
            w = solver.solve(q.X, y, datafit, penalty, w, fit)[0]
            fit = q.X @ w[:p] + w[p]
            B[:, k] = w[:p]
        return B

    return solve


def sklearn(q):
    from sklearn.linear_model import enet_path

    def solve(tol, lams):
        y, options = q.y - q.y.mean(), {"precompute": q.X.shape[0] > q.X.shape[1]}
        if sparse.issparse(q.X):
            means = np.asarray(q.X.mean(axis=0)).ravel()
            options = dict(precompute=False, check_input=False,
                           X_offset=means, X_scale=np.ones(means.size))
        # its gap is relative to |y|^2 = 2 n P(0)
        return enet_path(q.X, y, l1_ratio=q.alpha, alphas=lams, tol=tol / 2, max_iter=10**6,
                         copy_X=False, **options)[1]

    return solve


def _fitted(q, **options):
    """scikit-learn's estimator, lambda by lambda; its penalty is C times the sum of the losses."""
    from sklearn.linear_model import LogisticRegression

    n, p = q.X.shape
    X = q.X.tocsr() if sparse.issparse(q.X) else np.ascontiguousarray(q.X)

    def solve(tol, lams):
        model = LogisticRegression(l1_ratio=q.alpha, tol=tol, max_iter=10**7, random_state=0,
                                   **options)
        B = np.zeros((p, lams.size))
        for k, lam in enumerate(lams):
            B[:, k] = model.set_params(C=1.0 / (n * lam)).fit(X, q.y).coef_[0]
        return B

    return solve


def liblinear(q):
    return _fitted(q, solver="liblinear", intercept_scaling=WIDE)


def saga(q):
    return _fitted(q, solver="saga", warm_start=True)


RUNNERS = {
    "gaussian": {"glmstar": glmstar, "adelie": adelie, "adelie cov": adelie_cov,
                 "celer": celer_lasso, "skglm": skglm_gaussian, "scikit-learn": sklearn},
    "binomial": {"glmstar": glmstar, "adelie": adelie, "celer": celer_logistic,
                 "skglm": skglm_newton, "liblinear": liblinear, "saga": saga},
    "poisson": {"glmstar": glmstar, "adelie": adelie, "skglm": skglm_newton},
}  # fmt: skip; R's glmnet has a worker of its own, glmnet.R
