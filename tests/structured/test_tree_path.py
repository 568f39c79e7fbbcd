"""Log loss of trees: against enumeration, finite differences, and other optimisers."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sparsesolve.structured.arc_pass import ArcPass
from structured.test_parser import TEMPLATES, draw, rows, values
from structured.test_trees import TREES

import sparsesolve as ss
from sparsesolve import structured
from sparsesolve.structured.parser import ArcTemplates, read_heads
from sparsesolve.structured.tree_crf import TreeLog


def slow_loss(A, gold, single_root):
    """log Z - score of the true tree, and the marginals, over all trees."""
    words = np.arange(1, len(A))
    every = TREES[len(A) - 1, single_root]
    scores = np.array([A[heads, words].sum() for heads in every])
    weights = np.exp(scores - scores.max())
    total = scores.max() + np.log(weights.sum())
    mu = np.zeros_like(A)
    for heads, p in zip(every, weights / weights.sum(), strict=True):
        mu[heads, words] += p
    return total - A[gold, words].sum(), mu


def named_values(sentences):
    """The values of TEMPLATES at all arcs (h, m) of each sentence, by names, not by codes."""
    return [{(h, m): values(form, tag, h, m) for h in range(len(form) + 1)
             for m in range(1, len(form) + 1) if h != m} for form, tag, _ in rows(sentences)]


@pytest.mark.parametrize("single_root", [True, False])
def test_the_loss_and_its_gradient_are_those_of_all_trees(single_root):
    rng = np.random.default_rng(0)
    gold = [np.array(h) for h in ([2, 0, 2], [0], [0, 1, 2, 3], [3, 3, 0])]
    w = np.array([0.1, 0.2, 0.3, 0.4])
    loss = TreeLog(gold, w, single_root)
    eta = 2.0 * rng.normal(size=loss.n)
    value, u = loss.at(eta)
    expected, at = 0.0, 0
    for heads, weight in zip(gold, w, strict=True):
        size = len(heads) + 1
        lost, mu = slow_loss(eta[at : at + size**2].reshape(size, size), heads, single_root)
        mu[heads, np.arange(1, size)] -= 1.0
        np.testing.assert_allclose(u[at : at + size**2], -weight * mu.ravel(), atol=1e-12)
        expected, at = expected + weight * lost, at + size**2
    assert value == pytest.approx(expected, rel=1e-12)
    for j in rng.permutation(loss.n)[:20]:
        step = np.zeros(loss.n)
        step[j] = 1e-5
        slope = (loss.at(eta + step)[0] - loss.at(eta - step)[0]) / 2e-5
        assert slope == pytest.approx(-u[j], abs=1e-8)
    assert loss.fenchel_young_at(eta, 0.3 * loss.at(eta)[1]) == pytest.approx(0.7 * expected)
    assert loss.fenchel_young_at(eta, rng.normal(size=loss.n)) == np.inf


@pytest.mark.parametrize("options", [
    {"alpha": 0.0}, {}, {"by_template": True}, {"alpha": 0.5}, {"by_template": True, "alpha": 0.7},
])  # fmt: skip
@pytest.mark.parametrize("every", [True, False])
def test_the_gap_is_above_what_is_lost(options, every):
    """The optimum by another optimiser, over weights of values by name, and by enumeration."""
    sentences = draw(1, 8, 0.3, 5)
    gold = [np.array(h, dtype=int) for _, _, h in rows(sentences)]
    path = structured.tree_path(sentences, templates=TEMPLATES, every=every, tol=1e-6,
                                n_lambdas=4, lambda_min_ratio=0.05, **options)  # fmt: skip
    assert path.gaps.max() <= 1e-6 and (np.diff(path.dev_ratio) > 0.0).all()
    named = named_values(sentences)
    seen = {v for own, heads in zip(named, gold, strict=True) for m, h in enumerate(heads, 1)
            for v in own[int(h), m]}  # fmt: skip
    if every:
        seen = {v for own in named for arc in own.values() for v in arc}
    number = {v: j for j, v in enumerate(sorted(seen, key=str))}
    template = np.array([v[0] for v in number])
    assert len(number) == len(path.keys)

    def objective(b, lam):
        total, slope = 0.0, np.zeros(len(b))
        for own, heads in zip(named, gold, strict=True):
            A = np.zeros((len(heads) + 1, len(heads) + 1))
            for arc, parts in own.items():
                A[arc] = sum(b[number[v]] for v in parts if v in number)
            lost, mu = slow_loss(A, heads, True)
            mu[heads, np.arange(1, len(A))] -= 1.0
            total += lost / len(gold)
            for arc, parts in own.items():
                for v in parts:
                    if v in number:
                        slope[number[v]] += mu[arc] / len(gold)
        return total, slope

    def omega(b):
        return omega_of(template, b, options)

    lam = path.lambdas[-1]
    value, found = objective(np.zeros(len(number)), lam)[0], path.coef(lam)
    assert path.null_value == pytest.approx(value)
    own = (1.0 - path.dev_ratio[-1]) * path.null_value
    own += lam * omega_of(path.owners, found, options)
    if options.get("by_template"):
        start = np.full(len(number), 1e-3)

        def smooth(b):
            total, slope = objective(b, lam)
            return total + lam * omega(b), slope + lam * slope_of(b, template, options)

        best = minimize(smooth, start, jac=True, method="L-BFGS-B").fun
    else:  # b = c - d with c, d >= 0
        p = len(number)
        alpha = options.get("alpha", 1.0)

        def split(cd):
            b = cd[:p] - cd[p:]
            total, slope = objective(b, lam)
            slope = slope + lam * (1.0 - alpha) * b
            return (total + lam * (alpha * cd.sum() + 0.5 * (1.0 - alpha) * b @ b),
                    np.concatenate([slope, -slope]) + lam * alpha)  # fmt: skip

        best = minimize(split, np.zeros(2 * p), jac=True, method="L-BFGS-B",
                        bounds=[(0.0, None)] * (2 * p),
                        options={"maxiter": 2000, "ftol": 1e-15, "gtol": 1e-9}).fun  # fmt: skip
    gap = path.gaps[-1] * path.null_value
    assert own - gap <= best + 1e-9  # a lower bound of every objective
    assert own <= best + 1e-5 * path.null_value  # and the other optimiser found none lower


def omega_of(template, b, options):
    """The ridge part of a group has the group's weight."""
    alpha, norm, square = options.get("alpha", 1.0), np.abs(b).sum(), b @ b
    if options.get("by_template"):
        weights, squares = np.sqrt(np.bincount(template)), np.bincount(template, b * b)
        norm, square = weights @ np.sqrt(squares), weights @ squares
    return alpha * norm + 0.5 * (1.0 - alpha) * square


def slope_of(b, template, options):
    alpha = options.get("alpha", 1.0)
    sizes, norms = np.bincount(template), np.sqrt(np.bincount(template, b * b))
    weights = np.sqrt(sizes)
    return b * (alpha * weights / np.maximum(norms, 1e-12) + (1 - alpha) * weights)[template]


def test_templates_enter_as_a_whole_and_parsers_of_the_path_predict(tmp_path):
    train, new = draw(2, 40, 0.2), draw(3, 20, 0.2)
    path = structured.tree_path(train, templates=TEMPLATES, by_template=True, n_lambdas=8)
    used = [set(path.owners[np.flatnonzero(path.coef(lam))]) for lam in path.lambdas]
    assert not used[0] and used[0] <= used[-1] and 0 < len(used[3]) <= len(TEMPLATES)
    for lam in path.lambdas[3:]:
        b, parser = path.coef(lam), path.parser(lam)
        for t in used[-1]:
            inside = b[path.owners == t]
            assert inside.all() or not inside.any()
        np.testing.assert_allclose(parser.norms, np.sqrt(np.bincount(path.owners, b * b, 4)))
    marginals = path.parser().marginals(new)
    for mu in marginals:
        np.testing.assert_allclose(mu[:, 1:].sum(axis=0), 1.0, atol=1e-9)
    ss.save(path.parser(), tmp_path / "parser.npz")
    read = ss.load(tmp_path / "parser.npz")
    np.testing.assert_array_equal(read.predict(new), path.parser().predict(new))
    with pytest.raises(ValueError, match="no lambda of the path"):
        path.parser(0.123)
    with pytest.raises(ValueError, match="alpha"):
        structured.tree_path(train, alpha=2.0)


def test_steps_of_the_log_loss_are_those_of_all_trees():
    """Weights of values by name, with marginals by enumeration, lam |w|^2 / 2, and the mean."""
    sentences = draw(4, 6, 0.3, 5)
    gold = [np.array(h, dtype=int) for _, _, h in rows(sentences)]
    named, eta0, lam = named_values(sentences), 0.5, 0.05
    weights, total, count = {}, {}, 1
    order = np.concatenate(list(orders(5, len(gold), 2)))
    for step, s in enumerate(order, 1):
        heads, own = gold[s], named[s]
        A = np.zeros((len(heads) + 1, len(heads) + 1))
        for arc, parts in own.items():
            A[arc] = sum(weights.get(v, 0.0) for v in parts)
        _, mu = slow_loss(A, heads, True)
        D = -mu
        D[heads, np.arange(1, len(A))] += 1.0
        eta = eta0 / np.sqrt(len(gold) + step)
        for arc, parts in own.items():
            for v in parts:
                weights[v] = weights.get(v, 0.0) + eta * D[arc]
        weights = {v: w / (1.0 + eta * lam) for v, w in weights.items()}
        total = {v: total.get(v, 0.0) + w for v, w in weights.items()}
        count += 1
    parser = structured.parse_trees(sentences, templates=TEMPLATES, loss="log", eta0=eta0, lam=lam,
                                    epochs=2, bits=None, seed=5)  # fmt: skip
    for s, A in enumerate(parser._scores(sentences)):
        for (h, m), parts in named[s].items():
            mean = sum(total.get(v, 0.0) for v in parts) / count
            assert A[h, m] == pytest.approx(mean, abs=1e-4)  # arcs below NEGLIGIBLE are left out
    assert parser.losses[1] < parser.losses[0]
    last = structured.parse_trees(sentences, templates=TEMPLATES, loss="log", eta0=eta0, lam=lam,
                                  epochs=2, bits=None, seed=5, average=False)  # fmt: skip
    for s, A in enumerate(last._scores(sentences)):
        for (h, m), parts in named[s].items():
            assert A[h, m] == pytest.approx(sum(weights.get(v, 0.0) for v in parts), abs=1e-4)


def orders(seed, N, epochs):
    rng = np.random.default_rng(seed)
    return (rng.permutation(N) for _ in range(epochs))


def test_a_norm_over_templates_leaves_some_out_of_the_log_loss_too():
    train = draw(6, 60, 0.2)
    noise = [*TEMPLATES, "h.form+m.form[-2]", "h.form[+2]+m.form"]
    parser = structured.parse_trees(train, templates=noise, loss="log", norm="l1", lam=0.05,
                                    eta0=0.3, epochs=4)  # fmt: skip
    assert 0 < len(parser.used()) < len(noise) and parser.score(train) > 0.5


@pytest.mark.parametrize("options, sentence", [
    ({"loss": "square"}, "loss"), ({"loss": "log", "method": "mira"}, "of the hinge loss"),
    ({"loss": "log", "norm": "l1", "average": True}, "is for norm='l2'"),
    ({"average": False}, "returns the mean of iterates"),
])  # fmt: skip
def test_options_that_do_not_fit_are_told(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        structured.parse_trees(draw(7, 3), templates=TEMPLATES, **options)


def test_a_mean_of_iterates_outlives_a_multiplier_that_is_folded():
    """With lam eta so large that the multiplier falls below SMALL within the run."""
    sentences = draw(8, 6, 0.3)
    options = {"templates": TEMPLATES, "loss": "log", "eta0": 0.5, "epochs": 6, "bits": None}
    strong = structured.parse_trees(sentences, lam=5.0, **options)
    templates = ArcTemplates(TEMPLATES)
    head, word, ptr = templates.codes(sentences.columns, sentences.lengths)
    gold, T = read_heads(sentences), len(TEMPLATES)
    work = ArcPass(head, word, templates.apart, ptr, np.zeros(1 << 16), np.zeros(1 << 16),
                   np.ones(T), np.zeros(T), np.zeros(0, dtype=np.uintc),
                   np.zeros(T, dtype=np.uintc), np.zeros(1 << 16, dtype=np.uint64))  # fmt: skip
    total, t, shrunk = np.zeros(1 << 16), 0, 1.0
    for order in orders(0, len(gold), 6):
        for s in order:
            t += 1
            eta = 0.5 / np.sqrt(len(gold) + t)
            work.log_step(s, gold[s], True, eta, 1.0)
            np.asarray(work.V)[:] /= 1.0 + 5.0 * eta
            shrunk /= 1.0 + 5.0 * eta
            total += np.asarray(work.V)
    assert shrunk < 1e-6
    by_key = dict(zip(np.asarray(work.keys).tolist(), (total / (t + 1)).tolist(), strict=True))
    for key, weight in zip(strong.keys.tolist(), strong.weights.tolist(), strict=True):
        assert weight == pytest.approx(by_key[key], rel=1e-4, abs=1e-9)
