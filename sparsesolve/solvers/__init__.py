"""Solvers: states along a path that answer `solve(lam, target, budget)` with a certified gap."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.losses.multigaussian import Multigaussian
from sparsesolve.solvers import ridge
from sparsesolve.solvers.baselines import reweighted
from sparsesolve.solvers.baselines.block_gradient import (
    BlockGradient,
    PlainDescent,
    WrightDescent,
    in_groups,
)
from sparsesolve.solvers.baselines.bundle import (
    AggregateBundle,
    Bundle,
    PegasosState,
    Pragam,
    suits_one_kink,
)
from sparsesolve.solvers.baselines.subgradient import Subgradient
from sparsesolve.solvers.first_order.admm import Admm, LinearizedAdmm, suits_linearized
from sparsesolve.solvers.first_order.admm import suits as suits_admm
from sparsesolve.solvers.first_order.first_order import Fista, Ista, Panoc, Sparsa
from sparsesolve.solvers.first_order.pass_newton import PassNewton
from sparsesolve.solvers.first_order.pass_newton import suits as suits_passes
from sparsesolve.solvers.first_order.tangent_newton import TangentNewton, few_for_rounds
from sparsesolve.solvers.margin import ridge_dual
from sparsesolve.solvers.margin.dual_descent import DualDescent
from sparsesolve.solvers.margin.multipliers import Multipliers, NormMultipliers
from sparsesolve.solvers.margin.rows_newton import RowsNewton
from sparsesolve.solvers.newton.proximal_newton import ProximalNewton
from sparsesolve.solvers.quadratic.sufficient_statistics import SufficientStatistics
from sparsesolve.solvers.responses.blocks import ResponseBlocks
from sparsesolve.solvers.responses.groups import ManyGroups
from sparsesolve.solvers.responses.newton import ResponseNewton
from sparsesolve.solvers.responses.response_statistics import ResponseSufficientStatistics


class Solver(NamedTuple):
    """How to make a solver's state along a path, and what it needs, in words and as a test."""

    state: Callable  # (problem, n_threads)
    needs: str
    suits: Callable  # (problem, lambdas or None for a grid that ends above 0) -> bool
    by_passes: bool = False  # True if products with X are all that it needs
    kinks: bool = False  # True if it is for losses with kinks
    why: str = "suits the problem"  # why "auto" takes it, for the log


def kinked(problem, lambdas):
    """Return True if the loss has kinks: then `choose` takes no other solver."""
    return problem.loss is not None and not problem.loss.smooth


def _multipliers(problem, n_threads):
    """Make the method of multipliers around the solver of smooth losses that suits."""
    inner, made = Fista if not problem.has_blocks else ProximalNewton, Multipliers
    if isinstance(problem.design, DistributedDesign):
        inner = PassNewton if problem.has_blocks else Fista
    elif has_tangent(problem):
        inner, made = TangentNewton, NormMultipliers if few_for_rounds(problem) else Multipliers
    return made(problem, lambda smooth: inner(smooth, n_threads), n_threads)


def _squared_error(problem, lambdas):
    return problem.has_blocks and problem.loss is None


def _squares(problem, lambdas):
    """Return True for squared error of one response, or of several without groups."""
    if not problem.has_blocks:
        return False
    rows = problem.grouped and not problem.has_groups
    several = isinstance(problem.loss, Multigaussian) and rows
    return problem.loss is None or several


def _sufficient(problem, n_threads):
    one = problem.loss is None
    return (SufficientStatistics if one else ResponseSufficientStatistics)(problem, n_threads)


def _ridge(problem, n_threads):
    """Make the eigenvalues of wide designs, or inner products of the columns of others."""
    wide = np.count_nonzero(problem.open_columns) > problem.design.n
    return (ridge.Ridge if wide else SufficientStatistics)(problem, n_threads)


def _suits_ridge(problem, lambdas):
    return problem.has_blocks and not problem.has_groups and ridge.suits(problem, lambdas)


def _rows_of_responses(problem, lambdas):
    several = problem.n_responses is not None
    return several and problem.has_blocks and not problem.has_groups


def _groups_of_responses(problem, lambdas):
    return problem.n_responses is not None and problem.has_groups


def _one_response(problem, lambdas):
    return problem.has_blocks and problem.n_responses is None


def _reweighted(problem, n_threads):
    trace = reweighted.suits_trace(problem, None)
    made = reweighted.ReweightedTrace if trace else reweighted.Reweighted
    return made(problem, n_threads)


def _suits_reweighted(problem, lambdas):
    return reweighted.suits(problem, lambdas) or reweighted.suits_trace(problem, lambdas)


def has_tangent(problem, lambdas=None):
    """Return True if the penalty, or each term of a sum of few features, is smooth along some
    directions.
    """
    if problem.has_blocks or not hasattr(problem.penalty, "tangent"):
        return False
    p, K = problem.design.p, problem.n_responses
    zero, terms = np.zeros((K, p) if K else p), problem.penalty.terms()
    if len(terms) > 1 and not few_for_rounds(problem):
        return False
    return all(term.tangent(zero) is not None for term in terms)


def _anything(problem, lambdas):
    return True


RIDGE_ALONE = (
    "a loss with kinks, alpha = 0, every feature penalised, no limits, no groups, every lambda "
    "above 0"
)

SOLVERS = {
    "working_set": Solver(
        ProximalNewton, "family='gaussian'", _squared_error,
        why="squared error, with too many features for inner products of all",
    ),
    "sufficient": Solver(
        _sufficient, "family='gaussian', or 'multigaussian' and no groups", _squares,
        why="squared error, with few enough features for inner products of all columns",
    ),
    "ridge": Solver(
        _ridge, "family='gaussian', alpha = 0, every lambda above 0, no limits, no groups",
        _suits_ridge,
        why="squared error, alpha = 0 and few enough eigenvalues for a closed form",
    ),
    "proximal_newton": Solver(
        ProximalNewton, "a family of one response", _one_response,
        why="a smooth loss of one response",
    ),
    "response_blocks": Solver(
        ResponseBlocks, "a family of several responses and no groups", _rows_of_responses,
        why="several responses, with too many coefficients for their whole Hessian",
    ),
    "response_groups": Solver(
        ManyGroups, "a family of several responses and groups", _groups_of_responses,
        why="several responses with groups of features: Newton steps, and SpaRSA steps"
        " once many are active",
    ),
    "response_newton": Solver(
        ResponseNewton, "a family of several responses and no groups", _rows_of_responses,
        why="several responses, with few enough coefficients for their whole Hessian",
    ),
    "pass_newton": Solver(
        PassNewton, "a family of one response", suits_passes, by_passes=True,
        why="a smooth loss, by passes over rows out of memory",
    ),
    "bcd": Solver(BlockGradient, "a penalty on groups, one response", in_groups),
    "bcd_wright": Solver(WrightDescent, "a penalty on groups, one response", in_groups),
    "bcd_plain": Solver(PlainDescent, "a penalty on groups, one response", in_groups),
    "ista": Solver(Ista, "nothing", _anything, by_passes=True),
    "fista": Solver(
        Fista, "nothing", _anything, by_passes=True,
        why="a penalty without disjoint blocks",
    ),
    "sparsa": Solver(
        Sparsa, "nothing", _anything, by_passes=True,
        why="a group so large that its inner products cost more than proximal gradient steps",
    ),
    "panoc": Solver(Panoc, "nothing", _anything, by_passes=True),
    "subgradient": Solver(Subgradient, "nothing", _anything, by_passes=True),
    "tangent_newton": Solver(
        TangentNewton, "a penalty with tangents: TotalVariation, Slope, TraceNorm, L1, or several "
        "of them in Separate or, of at most 500 coefficients, in Sum", has_tangent, by_passes=True,
        why="a penalty without disjoint blocks that is smooth along its tangents",
    ),
    "admm": Solver(
        Admm, "family='gaussian' or 'multigaussian', at most 6,000 features in memory, and a norm",
        suits_admm,
    ),
    "linearized_admm": Solver(
        LinearizedAdmm, "a norm", suits_linearized,
        by_passes=True,
    ),
    "multipliers": Solver(
        _multipliers, "a loss with kinks: hinge, quantile or epsilon_insensitive", kinked,
        kinks=True, by_passes=True,
        why="a loss with kinks",
    ),
    "dual_descent": Solver(
        DualDescent, RIDGE_ALONE.replace("kinks", "kinks, the squared hinge or logistic"),
        ridge_dual.suits, kinks=True,
        why="a loss with pieces or logistic, alpha = 0 and few rows: sweeps over rows",
    ),
    "rows_newton": Solver(RowsNewton, RIDGE_ALONE, ridge_dual.suits_kinks, kinks=True),
    "ls_bmrm": Solver(AggregateBundle, RIDGE_ALONE, ridge_dual.suits_kinks, kinks=True),
    "qp_bmrm": Solver(Bundle, RIDGE_ALONE, ridge_dual.suits_kinks, kinks=True),
    "pragam": Solver(
        Pragam, f"hinge or quantile: {RIDGE_ALONE}", suits_one_kink, kinks=True
    ),
    "pegasos": Solver(PegasosState, RIDGE_ALONE, ridge_dual.suits_kinks, kinks=True),
    "reweighted": Solver(
        _reweighted, "family='gaussian', every lambda above 0, no limits, and the elastic net, "
        "GroupL2, SparseGroup, GroupLq with q <= 2, OverlapL2, TreeL2 or KSupport; or TraceNorm "
        "with alpha = 1, also of family='multigaussian'",
        _suits_reweighted,
    ),
}
