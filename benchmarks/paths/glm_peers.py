"""The peers of logistic and poisson paths: a runner per package, each as `peers` describes it.

Packages without a path are fitted lambda by lambda, warm-started where they can be. celer and
liblinear penalise their intercept: it is the coefficient of a column of WIDE, penalised by a
WIDEth; the certificate counts what that costs.
"""

import numpy as np
from gaussian_peers import glmnet_path
from scipy import sparse

WIDE = 1000.0


def adelie(q):
    import adelie as ad

    glm = {"binomial": ad.glm.binomial, "poisson": ad.glm.poisson}[q.loss]

    def solve(tol, lams):
        wrap = ad.matrix.sparse if sparse.issparse(q.X) else ad.matrix.dense
        state = ad.grpnet(wrap(q.X, method="naive", n_threads=1), glm(q.y), alpha=q.alpha,
                          lmda_path=lams, tol=tol, irls_tol=tol, early_exit=False,
                          max_iters=10**9, n_threads=1, progress_bar=False)
        return state.betas.T

    return solve


def glmstar(q):
    import glmnet

    return glmnet_path(q, {"binomial": glmnet.LogNet, "poisson": glmnet.FishNet}[q.loss])


def skglm(q):
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


def celer(q):
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


LOGISTIC = {"glmstar": glmstar, "adelie": adelie, "celer": celer, "skglm": skglm,
            "liblinear": liblinear, "saga": saga}
POISSON = {"glmstar": glmstar, "adelie": adelie, "skglm": skglm}
