"""Bounds of the regret, computed from the gradients and weights of a run.

    R(w) = sum_t u_t [f_t(w_t) + lam Omega(w_t) - f_t(w) - lam Omega(w)],   |w| <= norm

FOBOS: D^2 / (2 eta_T) + sum_t eta_t u_t^2 |g_t|^2 / 2, D = norm + max |w_t|. It is at most the
bound of Theorem 6 of Duchi and Singer (2009), which has 7 G^2 for |g_t|^2, and 2 G D more. RDA:
beta_T norm^2 / 2 + sum_t u_t^2 |g_t|^2 / (2 beta_{t-1}), which does not depend on the w_t. FTRL:
sum_j (sqrt(n_j) (norm + max |w|)^2 / (2 eta0) + eta0 sqrt(n_j)), over the features that occurred.
References: Duchi, Shalev-Shwartz, Singer, Tewari, "Composite objective mirror descent" (2010),
Theorem 2; Xiao (2010), Theorem 1; McMahan (2017), Theorem 2.
"""

import numpy as np

from sparsesolve.data import read_number


def regret_bound(learner, norm):
    """Return the bound for a Learner so far."""
    norm = read_number("norm", norm, 0, np.inf)
    if learner.rows == 0:
        return 0.0
    clock, engine = learner.clock, learner.engine
    if clock.method == "svrg":
        raise ValueError("method='svrg' has no bound of its regret; ask `certify` instead")
    if clock.method == "fobos":
        if clock.schedule == "inverse":
            raise ValueError(
                "step sizes eta0 / t have no bound of this form; ask for one with schedule='sqrt'"
            )
        far = norm + np.sqrt(engine.largest)
        return far**2 / (2.0 * clock.rate) + 0.5 * learner.spent
    if clock.method == "rda":
        return norm**2 / (2.0 * clock.rate) + 0.5 * learner.spent
    if engine.n_responses > 1 or learner.batch > 1:
        raise ValueError("the bound of FTRL is kept only for single rows and one response")
    n = np.append(engine.rows()[:, 1], np.asarray(engine.intercept_record)[1])
    roots = np.sqrt(engine.beta**2 + n[n > 0.0])
    far = norm + max(engine.largest, float(np.abs(learner.weights()[1]).max()))
    return float(np.sum(roots) * (far**2 / (2.0 * engine.eta0) + engine.eta0))
