"""Bounds of the regret, computed from the gradients and weights of a run.

    R(w) = sum_t u_t [f_t(w_t) + lam Omega(w_t) - f_t(w) - lam Omega(w)],   |w| <= norm

over steps t of weight u_t; times the rows of a step it is the regret over rows.
FOBOS: D^2 V / 2 + sum_t eta_t u_t^2 |g_t|^2 / 2, D = norm + max |w_t|, where V is 1 / eta_1 plus
all rises of 1 / eta_t, so 1 / eta_T if steps never lengthen. It is at most the bound of Theorem 6
of Duchi and Singer (2009), which has 7 G^2 for |g_t|^2, and 2 G D more. RDA: beta_T norm^2 / 2 +
sum_t u_t^2 |g_t|^2 / (2 beta_{t-1}), which does not depend on the w_t. FTRL: sum_j sqrt(n_j)
[(norm + max |w|)^2 / (2 eta0) + eta0 max u_t], over the features that occurred.

Premises, each checked before a bound is given:
  - f and Omega are convex, and Omega(0) = 0 is its least value;
  - u_t never rises unless lam = 0: Omega(w_{t+1}) is bounded at weight u_t but charged at u_{t+1};
  - |w| <= radius, if weights are projected onto that ball; RDA is then the minimiser on the ball
    if Omega(c w) = c Omega(w) for c > 0;
  - RDA: beta_t never falls, so steps never lengthen;
  - penalties in turn: none raises an earlier one, which norms that grow with each |w_j| satisfy;
  - FTRL: numbers are kept in double precision, so that w_t is the minimiser up to rounding.
References: Duchi, Shalev-Shwartz, Singer, Tewari, "Composite objective mirror descent" (2010),
Theorem 2; Xiao (2010), Theorem 1; McMahan (2017), Theorem 2; Martins et al. (2011), Lemma 2.
"""

import numpy as np

from sparsesolve.data import read_number
from sparsesolve.online.penalty import refuse_concave
from sparsesolve.online.proximal_leader import ProximalLeader

# The bound is raised by this fraction, against rounding of its sums.
ROUNDING = 1e-9


def regret_bound(learner, settings, norm):
    """Return the bound for a Learner so far."""
    norm = read_number("norm", norm, 0, np.inf)
    _check_premises(learner, settings, norm)
    if learner.rows == 0:
        return 0.0
    clock, engine = learner.clock, learner.engine
    if clock.method == "ftrl":
        n = np.append(engine.rows()[:, 1], np.asarray(engine.intercept_record)[1])
        roots = np.sqrt(engine.beta**2 + n[n > 0.0])
        far = norm + engine.largest
        step = far**2 / (2.0 * engine.eta0) + engine.eta0 * learner.heaviest
        return (1.0 + ROUNDING) * float(np.sum(roots) * step)
    far = norm + np.sqrt(engine.largest) if clock.method == "fobos" else norm
    bound = 0.5 * far**2 * learner.turns + 0.5 * learner.spent
    return (1.0 + ROUNDING) * float(learner.batch * bound)


def _check_premises(learner, settings, norm):
    """Raise ValueError unless the theorem of the method holds for this run."""
    method, radius, engine = settings.method, settings.radius, learner.engine
    refuse_concave(settings.penalty, "regret")
    for broken, why in (
        (method == "svrg", "method='svrg' has no bound of its regret; ask `certify` instead"),
        (method == "fobos" and learner.clock.schedule == "inverse",
         "step sizes eta0 / t have no bound of this form; ask for one with schedule='sqrt'"),
        (np.isnan(learner.heaviest), "this model was saved by a version that did not keep what "
         "the bound needs; fit it again"),
        (radius is not None and norm > radius, f"norm is {norm:g}, but radius={radius} keeps the "
         "weights shorter, and longer ones are not compared; give norm <= radius"),
        (learner.rising and settings.lam > 0.0, "the weights of rows rise, and the bound is for "
         "weights that are equal or fall if lam > 0; leave weights out"),
        (method == "rda" and learner.lengthened, "the steps lengthen, and the bound of "
         "method='rda' is for steps that are equal or shrink; use method='fobos'"),
        (method == "ftrl" and (type(engine) is not ProximalLeader or engine.n_responses > 1
                               or learner.batch > 1),
         "the bound of FTRL is kept only for the elastic net with dtype='float64', single rows "
         "and one response"),
    ):
        if broken:
            raise ValueError(why)
    laid = settings.laid(engine.n_features) if settings.penalty is not None else None
    if radius is not None and method == "rda" and not (laid is None or laid.homogeneous):
        raise ValueError(f"{laid.rows.label} is no norm, and with radius= the bound of "
                         "method='rda' is for norms; use method='fobos'")
    if isinstance(settings.penalty, list) and not laid.absolute:
        raise ValueError("a penalty in turn may raise an earlier one, and then there is no bound; "
                         "give penalties that grow with the size of each coefficient")
