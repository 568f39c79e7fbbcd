"""Certificate of online weights: their distance from the optimum of the batch problem.

    P(b0, b) = sum_i w_i f(y_i, o_i + b0 + x_i'b) + lam Omega(b)  >=  D(u)

for every feasible u. Here u = -F'(eta) at these weights, made orthogonal to the constant, to
columns without a penalty and to directions that it does not see, then scaled until X'u is within
lam times the dual ball. By Fenchel and Young P - D is a sum over samples and columns of terms of
at least 0. It is computed from the data, for the weights as they are returned. Under a concave
penalty there is no such D.

Bounds of the regret, computed from the gradients and weights of a run.

    R(w) = sum_t u_t [f_t(w_t) + lam Omega(w_t) - f_t(w) - lam Omega(w)],   |w| <= norm

over steps t of weight u_t; times the rows of a step it is the regret over rows.
FOBOS: D^2 V / 2 + sum_t eta_t u_t^2 |g_t|^2 / 2, D = norm + max |w_t|, where V is 1 / eta_1 plus
all rises of 1 / eta_t, so 1 / eta_T if steps never lengthen. It is at most the bound of Theorem 6
of Duchi and Singer (2009), which has 7 G^2 for |g_t|^2, and 2 G D more. FOBOS with eta_t =
eta0 / t, Theorem 8: u_1 norm^2 / (2 eta0) + sum_t eta_t u_t^2 |g_t|^2 / 2, which grows as log T.
RDA: beta_T norm^2 / 2 + sum_t u_t^2 |g_t|^2 / (2 beta_{t-1}), which does not depend on the w_t.
FTRL: sum_j sqrt(n_j) [(norm + max |w|)^2 / (2 eta0) + eta0 max u_t], over the features that
occurred.

The best weights of full gradients, Corollary 5: min_t [f + lam Omega](w_t) - [f + lam Omega](w) <=
(norm^2 + sum_t eta_t^2 |g_t|^2) / (2 sum_t eta_t), where the paper has 7 G^2 for |g_t|^2. It holds
with either prox_step, as Omega(w_1) = 0 and steps do not lengthen.

Premises, each checked before a bound is given:
  - f and Omega are convex, and Omega(0) = 0 is its least value;
  - u_t never rises unless lam = 0: Omega(w_{t+1}) is bounded at weight u_t but charged at u_{t+1};
  - eta_t = eta0 / t: no intercept, and lam Omega is H-strongly convex with eta0 >= 1 / H. Then the
    prox step gains (1 + eta_t u_t H) |w_{t+1} - w|^2 / 2, and the sum telescopes;
  - prox_step="same": with the next eta, Omega(w_{t+1}) is bounded at less than its weight;
  - |w| <= radius, if weights are projected onto that ball; RDA is then the minimiser on the ball
    if Omega(c w) = c Omega(w) for c > 0;
  - RDA: beta_t never falls, so steps never lengthen;
  - penalties in turn: none raises an earlier one, which norms that grow with each |w_j| satisfy;
  - FTRL: numbers are kept in double precision, so that w_t is the minimiser up to rounding.
References: Duchi, Shalev-Shwartz, Singer, Tewari, "Composite objective mirror descent" (2010),
Theorem 2; Xiao (2010), Theorem 1; McMahan (2017), Theorem 2; Martins et al. (2011), Lemma 2.
"""

from dataclasses import dataclass

import numpy as np

from sparsesolve.data import read_number, read_shares
from sparsesolve.online.proximal_leader import ProximalLeader
from sparsesolve.online.rows import in_columns_of_fit, row_matrix
from sparsesolve.online.source import read_known
from sparsesolve.paths.in_turn import refuse_concave
from sparsesolve.penalties.whole import orthogonal_to
from sparsesolve.solvers.certificate.dual_point import clear
from sparsesolve.solvers.certificate.gap import duality_gap
from sparsesolve.solvers.problem.standardisation import null_model


@dataclass(frozen=True)
class Certificate:
    """An upper bound on the distance of weights from the optimum."""

    objective: float  #: mean loss plus lam times the penalty, at these weights
    gap: float  #: an upper bound of the objective minus its optimum
    null_objective: float  #: objective of the best intercept alone
    #: The gap over the null objective, both relative to the least possible loss.
    relative_gap: float


def certificate(fit, X, y, weights, offset):
    """Return the Certificate of an OnlineFit on these data."""
    settings, family = fit.settings, fit.settings.family
    refuse_concave(settings.penalty, "distance from the optimum")
    matrix, _ = row_matrix(in_columns_of_fit(X, fit.feature_names))
    n, p = matrix.shape
    response = fit.reader.block(y, n) if np.ndim(y) < 2 else family.read(y, n)
    w, _ = read_shares(weights, n, response.counts)
    loss = family.loss(response.values, w)
    W, b = np.atleast_2d(fit.coef()), np.atleast_1d(fit.intercept)
    if W.shape[1] > p:
        if W[:, p:].any():
            raise ValueError(f"X has {p} columns and the fit {W.shape[1]} features")
        W = W[:, :p]
    W = np.ascontiguousarray(np.hstack([W, np.zeros((len(W), p - W.shape[1]))]))
    known = np.zeros((n, len(W)))
    if offset is not None:
        known = read_known(offset, n, settings, fit.classes)
    eta = np.ascontiguousarray((np.asarray(matrix @ W.T) + b + known).T)
    eta = eta if family.several else eta[0]
    penalty, lam = settings.laid(p), settings.lam
    value, u = loss.at(eta)
    charge = penalty.value(W, lam)
    if not np.isfinite(value + charge):
        raise ValueError(
            "the objective at these weights is beyond the largest float: the fit has diverged; "
            "learn with a smaller step, or scale the columns of X"
        )
    free = penalty.free | (lam == 0.0)
    with_intercept = settings.intercept and family.intercept
    kernel = None if free.any() else penalty.kernel
    dual, missing = _feasible(loss, eta, u, matrix, free, kernel, with_intercept)
    z = np.ascontiguousarray(np.atleast_2d(np.asarray((matrix.T @ dual.T).T)))
    z[:, free] = 0.0
    z = z if kernel is None else orthogonal_to(kernel, z)
    gap = duality_gap(loss, penalty, lam, W, eta, value, dual, z, missing)
    # For a loss with a kink the null model is not computed: the gap is relative to the objective.
    null = value + charge if not family.smooth else (
        null_model(loss, known.T if family.several else known[:, 0], with_intercept)[1]
        + loss.saturated)
    scale = null - loss.saturated
    return Certificate(float(value + charge), float(gap), float(null),
                       float(gap / scale) if scale > 0.0 else float(gap))  # fmt: skip


def _feasible(loss, eta, u, matrix, free, kernel, with_intercept):
    """Return a dual point orthogonal to the constant and to what is not penalised, and what a
    step along these may still gain.
    """
    n = matrix.shape[0]
    columns = matrix[:, np.flatnonzero(free)] if kernel is None else matrix @ kernel
    columns = columns.toarray() if hasattr(columns, "toarray") else np.asarray(columns)
    if with_intercept:
        columns = np.column_stack([np.ones(n), columns])
    if columns.shape[1] == 0:
        return u, 0.0
    dual, missing = clear(loss, eta, u, columns)
    if missing == np.inf and columns.shape[1] == 1 and with_intercept and u.ndim == 1:
        # 0 lies in the range of every slope.
        up, down = u[u > 0.0].sum(), -u[u < 0.0].sum()
        least = min(up, down)
        return np.where(u > 0.0, u * (least / up if up else 0.0),
                        u * (least / down if down else 0.0)), 0.0  # fmt: skip
    return dual, missing


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
    if clock.method == "fobos" and clock.schedule == "inverse":
        bound = 0.5 * (norm**2 * learner.heaviest / clock.eta0 + learner.spent)
        return (1.0 + ROUNDING) * float(learner.batch * bound)
    far = norm + np.sqrt(engine.largest) if clock.method == "fobos" else norm
    bound = 0.5 * far**2 * learner.turns + 0.5 * learner.spent
    return (1.0 + ROUNDING) * float(learner.batch * bound)


def best_bound(learner, settings, norm):
    """Return the bound of Corollary 5 for a Learner so far."""
    if settings.average != "best":
        raise ValueError("the bound is for average='best'; ask regret_bound or certify instead")
    norm = read_number("norm", norm, 0, np.inf)
    _check_premises(learner, settings, norm, regret=False)
    engine = learner.engine
    if not engine.path:
        return np.inf
    return (1.0 + ROUNDING) * (norm**2 + engine.squares) / (2.0 * engine.path)


def _check_premises(learner, settings, norm, regret=True):
    """Raise ValueError unless the theorem of the method holds for this run."""
    method, radius, engine = settings.method, settings.radius, learner.engine
    refuse_concave(settings.penalty, "regret" if regret else "distance from the optimum")
    logarithmic = regret and method == "fobos" and learner.clock.schedule == "inverse"
    H = settings.strong_convexity(engine.n_features) if logarithmic else np.inf
    for broken, why in (
        (method == "svrg", "method='svrg' has no bound of its regret; ask `certify` instead"),
        (regret and settings.prox_step == "next",
         "the bound of the regret is for prox_step='same'"),
        (H == 0.0 or logarithmic and engine.has_intercept, "steps eta0 / t have a bound where the "
         "penalty of every coefficient has a ridge part: alpha < 1, intercept=False; or use "
         "schedule='sqrt'"),
        (learner.clock.eta0 * H < 1.0 - ROUNDING, f"the bound of steps eta0 / t is for eta0 >= "
         f"1 / H = {1.0 / H if H else np.inf:.6g}, H = lam (1 - alpha) times the least factor; "
         "give that as step="),
        (np.isnan(learner.heaviest), "this model was saved by a version that did not keep what "
         "the bound needs; fit it again"),
        (radius is not None and norm > radius, f"norm is {norm:g}, but radius={radius} keeps the "
         "weights shorter, and longer ones are not compared; give norm <= radius"),
        (learner.rising and settings.lam > 0.0, "the weights of rows rise, and the bound is for "
         "weights that are equal or fall if lam > 0; leave weights out"),
        (not regret and learner.lengthened, "the steps lengthen, and the bound of the best "
         "weights is for steps that are equal or shrink; use a schedule"),
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
