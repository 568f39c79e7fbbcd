"""Laws that every penalty keeps: prox by its inclusion, polar and conjugate."""

from fractions import Fraction

import numpy as np
import pytest
from cases import every

from sparsesolve import penalties
from sparsesolve.penalties import (
    L1,
    MCP,
    Berhu,
    ExclusiveLasso,
    GroupBall,
    L1Ball,
    L2Ball,
    LinfBall,
    Slope,
    TotalVariation,
    prox,
)
from sparsesolve.penalties.whole import WholePenalty, orthogonal_to

SIZE = 12
ROUNDS = 40
NESTED = [[0, 1], [2, 3, 4], [0, 1, 2, 3, 4, 5], [3], [5], range(6), [8, 9, 10], [9, 10], [9]]


def _elastic_nets(penalty):
    """Plain, weighted, bare coordinates, limits, ridge, and all at once."""
    v = np.resize([1.0, 0.3, 2.5, 1.2], SIZE)
    bare = np.where(np.arange(SIZE) % 5 == 0, 0.0, v)
    lower, upper = np.resize([-0.4, -np.inf, 0.0], SIZE), np.resize([0.7, 0.2, np.inf, 0.0], SIZE)
    return {
        "lasso": penalty(SIZE),
        "weighted": penalty(SIZE, 1.0, v),
        "mixed": penalty(SIZE, 0.4, v),
        "ridge": penalty(SIZE, 0.0, v),
        "bare": penalty(SIZE, 1.0, bare),
        "limits": penalty(SIZE, 1.0, v, lower, upper),
        "everything": penalty(SIZE, 0.7, bare, lower, upper),
    }


def _groups(*arguments):
    """Scattered groups of sizes 1 to 5: plain, ridge, a bare group, limits, and all at once."""

    def examples(penalty):
        groups = [2, 0, 1, None, 0, 1, 1, 2, 0, 1, "x", 1]
        lower = np.resize([-0.4, -np.inf, 0.0, -0.2, -1.0], SIZE)
        upper = np.resize([0.7, 0.2, np.inf, 0.0, 0.1, 0.6, 0.3], SIZE)
        weights = [1.0, 0.4, 0.0, 2.0]
        none, factors = np.zeros(5, dtype=bool), np.array([1.0, 0.5, 2.0, 1.0, 0.3])
        free, out = np.full(SIZE, np.inf), np.arange(5) == 3
        plain, weighted = penalty(groups, *arguments), penalty(groups, *arguments, weights)
        plain, weighted = plain.over(SIZE), weighted.over(SIZE)
        return {
            "plain": plain,
            "weighted": weighted,
            "one": penalty(["all"] * SIZE, *arguments).over(SIZE),
            "ones": penalty(list(range(SIZE)), *arguments).over(SIZE),
            "mixed": weighted.under(0.4, factors, out, -free, free, 1.0),
            "ridge": plain.under(0.0, factors, none, -free, free, 2.0),
            "limits": plain.under(1.0, factors, none, lower, upper, 1.0),
            "boxes": plain.under(1.0, factors, none, -0.3 * np.ones(SIZE), 0.2 * np.ones(SIZE), 1),
            "positive": plain.under(1.0, factors, none, np.zeros(SIZE), free, 1.0),
            "everything": weighted.under(0.7, factors, out, lower, upper, 1.0),
        }

    return examples


def _norms(*arguments, **more):
    """A norm of whole vectors: plain, mixed with a ridge, and ridge alone."""

    def examples(penalty):
        bound = penalty(*arguments, **more).over(SIZE)
        return {
            "plain": WholePenalty(bound, SIZE),
            "mixed": WholePenalty(bound, SIZE, 0.4, 1),
            "ridge": WholePenalty(bound, SIZE, 0.0),
        }

    return examples


OVERLAPPING = [[0, 1, 2, 3], [2, 3, 4, 5, 6], [6, 7, 8, 9, 0], [9, 10]]

# Penalties whose polar is a bound, and how near to the dual norm it is; a feasible scale is then
# as near as the level asks for.
BOUNDED = {"OverlapL2": 1e-9, "Submodular": 1e-11, "Sum": 1e-5}

LABELS = [2, 0, 1, None, 0, 1, 1, 2, 0, 1, "x", 1]


def _powers(penalty):
    """Norms of groups by several powers, the ends among them."""
    found = {}
    for q, weights in ((1.0, None), (1.3, [1.0, 0.4, 0.7, 2.0]), (3.0, None), (np.inf, None)):
        found |= {f"{q:g}-{name}": made for name, made in _norms(LABELS, q, weights)(
            penalty).items()}  # fmt: skip
    return found


def _set_functions(penalty):
    """By the size alone, and by the edges of a graph that are cut."""
    edges = [(j, (j + 5) % 7) for j in range(7)] + [(j, j + 1) for j in range(7, 11)]
    cut = penalties.graph_cut(edges, np.resize([1.0, 0.1, 0.5], 11), np.resize([3.0, 2.5], SIZE))
    found = {f"size-{name}": made for name, made in _norms(np.sqrt(np.arange(1, SIZE + 1)))(
        penalty).items()}  # fmt: skip
    return found | {f"cut-{name}": made for name, made in _norms(cut)(penalty).items()}


# One line a penalty: examples of it, each on vectors of length SIZE.
EXAMPLES = {
    "ElasticNet": _elastic_nets,
    "Berhu": _norms(0.7, np.resize([1.0, 2.0, 0.3], SIZE)),
    "ExclusiveLasso": _norms([2, 0, 1, None, 0, 1, 1, 2, 0, 1, "x", 1]),
    "GraphTV": _norms([(j, (j + 5) % 7) for j in range(7)] + [(j, j + 1) for j in range(7, 11)],
                      np.resize([1.0, 0.1, 0.5, 2.0, 0.0], 11)),
    "GroupL2": _groups(),
    "GroupLq": _powers,
    "KSupport": _norms(3),
    "L1": _norms(1.5),
    "LatentGroupL2": _norms([[0, 1, 2], [2, 3, 4, 5], [6, 7, 8, 9], [9, 10, 11]]),
    "OverlapL2": _norms(OVERLAPPING, [1.0, 2.0, 0.5, 1.5]),
    "OverlapLinf": _norms(OVERLAPPING, [1.0, 2.0, 0.5, 1.5]),
    "Separate": _norms({(0, 4, 2): L1(), range(5, 12): TotalVariation(), (1, 3): Slope()}),
    "Slope": _norms(),
    "Spectral": _norms("spectral", (3, 4)),
    "Submodular": _set_functions,
    "Sum": _norms([L1(0.7), TotalVariation()]),
    "TotalVariation": _norms(np.resize([1.0, 0.0, 0.5, 2.0], SIZE - 1)),
    "TotalVariation2D": _norms((3, 4), (1.0, 0.4), 0.3),
    "TraceNorm": _norms((4, 3)),
    "TreeL2": _norms(NESTED, np.resize([1.0, 0.5, 2.0], len(NESTED))),
    "TreeLinf": _norms(NESTED),
    "TrendFilter": _norms(2),
    "GroupLinf": _groups(),
    "SparseGroup": _groups(0.3),
}


CONCAVE = {"Bridge", "Log", "MCP", "SCAD"}
BALLS = {"ElasticNetBall", "GroupBall", "L1Ball", "L2Ball", "LinfBall"}


def examples(name):
    return EXAMPLES[name](getattr(penalties, name))


every_penalty = every("omega", [
    pytest.param(example, id=f"{name}-{label}")
    for name in sorted(EXAMPLES) for label, example in examples(name).items()
])  # fmt: skip


def test_every_penalty_has_an_example():
    known = {name for name in penalties.__all__ if isinstance(getattr(penalties, name), type)}
    assert {*EXAMPLES} == known - CONCAVE - BALLS | {"ElasticNet"}


def _draws(seed=3):
    rng = np.random.default_rng(seed)
    for k in range(ROUNDS):
        yield 2 * rng.standard_normal(SIZE) * 2.0 ** (k % 5 - 2), 10.0 ** rng.uniform(-2, 1)


def _inside(omega, x):
    """A point of the penalty's domain near x."""
    return omega.prox(x, 1e-3)


@every_penalty
def test_prox_keeps_its_inclusion(omega):
    """x - b is a subgradient of lam Omega at b = prox(x): Fenchel-Young with equality.

    An SVD knows x - b to a few eps |x|, which is 2e-12 of lam where |x| is 1,000 lam.
    """
    for x, lam in _draws():
        b = omega.prox(x, lam)
        s = omega.feasible_scale(x - b, lam)  # below 1 by the rounding of x - b only
        near = BOUNDED.get(getattr(omega, "label", None), 1e-12)
        rounding = 16 * np.finfo(float).eps * np.linalg.norm(x) / lam
        assert s >= 1 - max(near, rounding)
        z = s * (1 - 1e-15) * (x - b)
        total = omega.value(b, lam) + omega.conjugate(z, lam)
        assert total == pytest.approx(z @ b, rel=10 * near, abs=10 * near)


@every_penalty
def test_prox_beats_its_neighbours(omega):
    rng = np.random.default_rng(5)
    for x, lam in _draws():
        b = omega.prox(x, lam)
        least = 0.5 * ((b - x) ** 2).sum() + omega.value(b, lam)
        for scale in (1e-3, 1e-1, 1.0):
            other = _inside(omega, b + scale * rng.standard_normal(SIZE))
            assert least <= 0.5 * ((other - x) ** 2).sum() + omega.value(other, lam) + 1e-12


@every_penalty
def test_prox_is_firmly_nonexpansive(omega):
    for (x, lam), (y, _) in zip(_draws(3), _draws(4), strict=True):
        moved = omega.prox(x, lam) - omega.prox(y, lam)
        assert moved @ moved <= moved @ (x - y) + 1e-12


@every_penalty
def test_fenchel_young(omega):
    for (x, lam), (z, _) in zip(_draws(3), _draws(4), strict=True):
        b = _inside(omega, x)
        assert omega.value(b, lam) + omega.conjugate(z, lam) >= z @ b - 1e-10


@every_penalty
def test_polar_is_the_least_level_whose_prox_is_zero(omega):
    for z, _ in _draws():
        level = omega.polar(z)
        if np.isinf(level):
            assert omega.prox(z, 1e6).any()
            continue
        assert not omega.prox(z, level * (1 + 1e-12)).any()
        assert omega.conjugate(z, level * (1 + 1e-12)) == 0
        if level > 0:
            near = BOUNDED.get(getattr(omega, "label", None), 1e-7)
            assert omega.prox(z, level * (1 - 10 * near)).any()


@every_penalty
def test_polar_bounds_products_with_the_value(omega):
    """z'b <= polar(z) value(b): equality somewhere makes it the dual norm where Omega is one."""
    for (x, _), (z, _) in zip(_draws(3), _draws(4), strict=True):
        b, level = _inside(omega, x), omega.polar(z)
        if np.isfinite(level):
            assert z @ b <= level * omega.value(b) * (1 + 1e-12) + 1e-12


@every_penalty
def test_feasible_scale_is_the_last_one_with_a_finite_conjugate(omega):
    for z, lam in _draws():
        s = omega.feasible_scale(z, lam)
        assert 0 <= s <= 1
        assert np.isfinite(omega.conjugate(z * (s * (1 - 1e-15)), lam))
        if s < 1 and getattr(omega, "label", None) not in BOUNDED:
            assert np.isinf(omega.conjugate(z * (s + 1e-9), lam))


@every_penalty
def test_value_is_zero_at_zero_linear_in_lam_and_convex(omega):
    assert omega.value(np.zeros(SIZE)) == 0
    for (x, lam), (y, _) in zip(_draws(3), _draws(4), strict=True):
        a, b = _inside(omega, x), _inside(omega, y)
        assert omega.value(a, lam) == pytest.approx(lam * omega.value(a), rel=1e-12)
        assert omega.value((a + b) / 2) <= (omega.value(a) + omega.value(b)) / 2 + 1e-12


@every_penalty
def test_what_nothing_holds_back_follows_every_push(omega):
    """Where a prox moves a coordinate by all of a small push, and nowhere else."""
    rng = np.random.default_rng(7)
    for x, lam in _draws():
        b, z = omega.prox(x, lam), rng.standard_normal(SIZE)
        unpenalised = omega.unpenalised(b, z, 1e3)
        push = omega.prox(b + 1e-7 * z, 1e3) - b
        assert np.array_equal(unpenalised, np.abs(push - 1e-7 * z) <= 1e-14)
        at_none = omega.unpenalised(b, z, 0.0)
        assert (at_none | ~unpenalised).all()
        push = omega.prox(b + 1e-7 * z, 0.0) - b
        assert np.array_equal(at_none, np.abs(push - 1e-7 * z) <= 1e-14)


@every_penalty
def test_tangents_have_the_derivatives_of_the_value(omega):
    """Along the directions that keep zeros and ties, bent steps under a linear term included."""
    if omega.has_blocks or omega.tangent(np.zeros(SIZE)) is None:
        return
    rng = np.random.default_rng(6)
    for x, _ in _draws():
        b, z, h = omega.prox(x, 0.3 * np.abs(x).mean()), rng.standard_normal(SIZE), 1e-4
        tangent, levels = omega.tangent(b), np.unique(np.abs([*b, 0.0]).round(9))
        C, d = tangent.curvature(z), rng.standard_normal(len(tangent.gradient))
        d /= max(1.0, np.linalg.norm(d))
        if not b.any() or np.diff(levels).min() < 0.02:  # a step would come to a kink
            continue

        def along(t, b=b, z=z, d=d, tangent=tangent):
            moved = tangent.step(t * d)
            return omega.value(b + moved) - z @ (moved - tangent.directions @ (t * d))

        assert (along(h) - along(-h)) / (2 * h) == pytest.approx(tangent.gradient @ d, abs=1e-5)
        if tangent.retraction is None:
            bend = (along(h) + along(-h) - 2 * along(0.0)) / h**2
            assert bend == pytest.approx(d @ C @ d, abs=2e-3 * (1 + abs(bend)))
        else:  # factors: half their squares are no less than the norm, and equal at d = 0
            bound = along(0.0) + h * tangent.gradient @ d + 0.5 * h**2 * d @ C @ d
            assert along(h) <= bound + 1e-9


@every_penalty
def test_methods_leave_their_arguments_alone(omega):
    x = np.linspace(-2, 2, SIZE)
    held = x.copy()
    x.setflags(write=False)
    omega.prox(x, 0.3), omega.polar(x), omega.conjugate(x, 0.3), omega.feasible_scale(x, 0.3)
    assert (x == held).all()


GROUPS = np.resize([0, 1, 2], SIZE)
PUBLIC = {
    "project_l1": prox.project_l1, "project_l2": prox.project_l2,
    "project_linf": prox.project_linf, "project_simplex": prox.project_simplex,
    "project_groups": lambda v, t: prox.project_groups(v, t, GROUPS, [1.0, 2.0, 0.5]),
    "squared_l1": lambda v, t: prox.squared_l1(v, 0.3, groups=GROUPS, ridge=0.2),
    "power": lambda v, t: prox.power(v, 0.3, 2.0, groups=GROUPS),
    "box_hyperplane": lambda v, t: prox.box_hyperplane(v, -t, t, np.ones(SIZE), t),
    "Berhu": lambda v, t: Berhu(t).prox(v, t), "Berhu.value": lambda v, t: Berhu(t).value(v),
    "ExclusiveLasso": lambda v, t: ExclusiveLasso(GROUPS).prox(v, 0.3),
    "MCP": lambda v, t: MCP(groups=GROUPS).prox(v, t),
    **{ball.__name__: lambda v, t, ball=ball: ball(t).prox(v) for ball in (L1Ball, L2Ball,
                                                                           LinfBall)},
    "L2Ball.conjugate": lambda v, t: L2Ball(1.0).conjugate(v),
    "GroupBall.conjugate": lambda v, t: GroupBall(GROUPS, 1.0).conjugate(v),
    "SparseGroup": lambda v, t: penalties.SparseGroup(GROUPS, 0.3).prox(v, t),
}  # fmt: skip
UNSCALED = ("mixed", "ridge", "everything", "limits", "boxes")  # parts that have a unit


def _functions():
    yield from PUBLIC.items()
    for name in sorted({*EXAMPLES} - {"Berhu", "ExclusiveLasso"}):
        for label, omega in examples(name).items():
            if label not in UNSCALED:
                given = getattr(omega, "given", omega) if not omega.has_blocks else omega
                yield f"{name}-{label} prox", given.prox
                yield f"{name}-{label} value", lambda v, t, given=given: given.value(v)
                kernel = None if omega.has_blocks else omega.kernel()
                yield f"{name}-{label} polar", lambda v, t, given=given, kernel=kernel: (
                    given.polar(v if kernel is None else orthogonal_to(kernel, v)))


@every("power", [900, 530, -530, -900])
@every("function", [pytest.param(f, id=name) for name, f in _functions()])
def test_every_size_that_a_float_has_is_like_size_1(function, power):
    for v, t in list(_draws())[::8]:
        found = function(np.ldexp(v, power), float(np.ldexp(t, power)))
        np.testing.assert_allclose(np.ldexp(found, -power), function(v, t), rtol=1e-13, atol=1e-15)


def _projected(v, radius, signed):
    """The projection onto the l1 ball or the simplex, in fractions."""
    sizes = [Fraction(x) if signed else abs(Fraction(x)) for x in v.tolist()]
    ordered, total, theta = sorted(sizes, reverse=True), Fraction(0), None
    for k, x in enumerate(ordered, 1):
        total += x
        if x > (total - Fraction(radius)) / k:
            theta = (total - Fraction(radius)) / k
    left = [max(x - theta, Fraction(0)) for x in sizes]
    return np.array([float(x) for x in left]) * (1.0 if signed else np.sign(v))


@every("radius", [1e-280, 1e-20, 1e-3, 1.0, 1e5])
@every("size", [1e-290, 1.0, 1e16, 1e200, 5e307])
def test_projections_are_exact_however_small_the_ball_is(size, radius):
    for v in (np.array([3.0, -2.0, 1.0]), np.array([3.0, 3.0, -3.0]), np.ones(4) / 3):
        x = size * v
        if radius < sum(map(Fraction, np.abs(x).tolist())):
            want = _projected(x, radius, False)
            np.testing.assert_allclose(prox.project_l1(x, radius), want, rtol=1e-15,
                                       atol=4e-16 * radius)  # fmt: skip
            sizes = prox.project_groups(x, radius, range(len(x)))
            np.testing.assert_allclose(sizes, want, rtol=1e-15, atol=4e-16 * radius)
        np.testing.assert_allclose(prox.project_simplex(x, radius), _projected(x, radius, True),
                                   rtol=1e-15, atol=4e-16 * max(radius, 0.0))  # fmt: skip
