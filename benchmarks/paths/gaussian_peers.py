"""The peers of the gaussian path: a runner per package, each as `peers` describes it.

Where the package has no intercept of its own, y and the dense columns are centred already (no
approximation), and sparse columns are centred implicitly through the package's own argument.
"""

import numpy as np
from scipy import sparse


def adelie(q):
    import adelie as ad

    def solve(tol, lams):
        wrap = ad.matrix.sparse if sparse.issparse(q.X) else ad.matrix.dense
        state = ad.grpnet(wrap(q.X, method="naive", n_threads=1), ad.glm.gaussian(q.y),
                          alpha=q.alpha, lmda_path=lams, tol=tol, early_exit=False,
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


def celer(q):
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


def glmstar(q):
    from glmnet import GaussNet

    return glmnet_path(q, GaussNet)


def glmnet_path(q, estimator, **options):
    """The package of glmnet's authors for Python, whose import name is glmnet."""
    from glmnet.paths.fastnet import FastNetControl

    def solve(tol, lams):
        control = FastNetControl(fdev=0.0, devmax=1.0, thresh=tol, maxit=2 * 10**9)
        fit = estimator(lambda_values=lams, alpha=q.alpha, standardize=False, control=control,
                        **options).fit(q.X, q.y)  # fmt: skip
        return fit.coefs_.T

    return solve


def skglm(q):
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


RUNNERS = {"glmstar": glmstar, "adelie": adelie, "adelie cov": adelie_cov, "celer": celer,
           "skglm": skglm, "scikit-learn": sklearn}
