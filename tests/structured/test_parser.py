"""Parsing: scores and steps against a twin that looks features up in a dictionary."""

import numpy as np
import pytest
from sparsesolve.structured.arc_pass import ArcPass

import sparsesolve as ss
from sparsesolve import structured
from sparsesolve.structured.group_norm import GroupNorm
from sparsesolve.structured.parser import DEFAULT, ArcTemplates, many_templates
from sparsesolve.structured.parser_training import parse_trees
from sparsesolve.structured.sentences import Sentences

TEMPLATES = ["h.tag+m.tag+direction", "h.form+m.tag[-1]+distance", "m.form", "h.tag[+1]+m.tag"]
BITS = 18  # so many places that the few values of these tests meet nowhere


def draw(seed, n_sentences=12, noise=0.0, most=8):
    """A verb is the root, nouns hang from it, and adjectives from the noun after them."""
    rng = np.random.default_rng(seed)
    form, tag, head, lengths = [], [], [], []
    for _ in range(n_sentences):
        size = int(rng.integers(2, most))
        verb = int(rng.integers(1, size + 1))
        tags = ["V" if m == verb else ("A" if rng.random() < 0.4 and m != size and m + 1 != verb
                                       else "N") for m in range(1, size + 1)]  # fmt: skip
        for m in range(1, size + 1):
            heads = {"V": 0, "N": verb, "A": m + 1}
            head.append(str(heads[tags[m - 1]]))
            form.append(f"{tags[m - 1].lower()}{rng.integers(5)}")
        tag += tags
        lengths.append(size)
    return Sentences({"form": form, "tag": tag, "head": head}, lengths, [], [])


def rows(sentences):
    """Each sentence as (forms, tags, heads)."""
    at = 0
    for size in sentences.lengths:
        columns = sentences.columns
        yield (columns["form"][at : at + size], columns["tag"][at : at + size],
               [int(h) for h in columns["head"][at : at + size]])  # fmt: skip
        at += size


def values(form, tag, h, m):
    """What each of TEMPLATES says of an arc."""
    def word(column, i):
        if i == 0:
            return "<root>"
        return column[i - 1] if 0 < i <= len(column) else "<beyond>"

    far, right = abs(h - m), m > h
    far = far if far <= 5 else (6 if far <= 10 else 7)
    return [(0, word(tag, h), word(tag, m), right),
            (1, word(form, h), word(tag, m - 1), far, right), (2, word(form, m)),
            (3, word(tag, h + 1), word(tag, m))]  # fmt: skip


def slow_scores(w, c, form, tag):
    size = len(form) + 1
    A = np.zeros((size, size))
    for m in range(1, size):
        for h in range(size):
            if h != m:
                A[h, m] = sum(c[v[0]] * w.get(v, 0.0) for v in values(form, tag, h, m))
    return A


def slow_learn(sentences, order, method, C, eta0, lam):
    w, c = {}, np.ones(4)
    total, t = {}, 0
    parts = list(rows(sentences))
    for s in order:
        form, tag, gold = parts[s]
        t += 1
        A = slow_scores(w, c, form, tag)
        found, _ = structured.best_tree(A, heads=gold)
        at = np.arange(1, len(form) + 1)
        loss = A[found, at].sum() + np.sum(found != gold) - A[gold, at].sum()
        wrong = np.flatnonzero(found != np.array(gold))
        if len(wrong) and loss > 0:
            step = min(C, loss / (8.0 * len(wrong))) if method == "mira" else eta0 / np.sqrt(t)
            for k in wrong:
                for h, sign in ((gold[k], 1.0), (int(found[k]), -1.0)):
                    for v in values(form, tag, h, k + 1):
                        w[v] = w.get(v, 0.0) + sign * step / c[v[0]]
                        total[v] = total.get(v, 0.0) + t * sign * step
        if method == "spom":
            n = np.array([c[k] * np.sqrt(sum(x * x for v, x in w.items() if v[0] == k))
                          for k in range(4)])  # fmt: skip
            new = GroupNorm("l1_squared").prox(n, eta0 / np.sqrt(t) * lam)
            for k in range(4):
                if n[k] > 0.0:
                    c[k] *= new[k] / n[k]
                if n[k] > 0.0 and new[k] == 0.0:
                    w = {v: x for v, x in w.items() if v[0] != k}
                    c[k] = 1.0
    if method == "mira":
        w = {v: x - total.get(v, 0.0) / (t + 1.0) for v, x in w.items()}
    return w, c


@pytest.mark.parametrize("method, lam", [("mira", 1.0), ("spom", 1e-3), ("spom", 3.0)])
def test_learning_is_that_of_a_dictionary(method, lam):
    sentences = draw(0)
    parser = parse_trees(sentences, templates=TEMPLATES, method=method, C=0.1, lam=lam, eta0=0.3,
                         epochs=3, bits=BITS, seed=5)  # fmt: skip
    rng = np.random.default_rng(5)
    order = np.concatenate([rng.permutation(12) for _ in range(3)])
    w, c = slow_learn(sentences, order, method, 0.1, 0.3, lam)
    if lam == 3.0:
        assert len({v[0] for v in w}) < 4 or np.any(parser.norms == 0.0)
    head, word, ptr = ArcTemplates(TEMPLATES).codes(sentences.columns, sentences.lengths)
    owners = (np.zeros(0) if parser.owners is None else parser.owners).astype(np.uintc)
    work = ArcPass(head, word, ArcTemplates(TEMPLATES).apart, ptr, parser.weights.astype(float),
                   np.zeros(0), parser.template_weights.copy(), np.zeros(4), owners,
                   np.zeros(4, dtype=np.uintc))  # fmt: skip
    for s, (form, tag, _) in enumerate(rows(sentences)):
        np.testing.assert_allclose(work.scores(s), slow_scores(w, c, form, tag), atol=1e-5)
    if method == "spom":
        sizes = [c[k] * np.sqrt(sum(x * x for v, x in w.items() if v[0] == k)) for k in range(4)]
        np.testing.assert_allclose(parser.norms, sizes, atol=1e-9)


@pytest.mark.parametrize("method", ["mira", "spom"])
def test_new_sentences_are_parsed_and_a_file_keeps_the_parser(method, tmp_path):
    parser = parse_trees(draw(1, 150), templates=TEMPLATES, method=method, bits=BITS)
    new = draw(2, 30)
    assert parser.score(new) > 0.95
    assert parser.losses[-1] < parser.losses[0] and "no certificate" in repr(parser)
    assert list(parser.used().values()) == sorted(parser.used().values(), reverse=True)
    ss.save(parser, tmp_path / "parser.npz")
    again = ss.load(tmp_path / "parser.npz")
    np.testing.assert_array_equal(again.predict(new), parser.predict(new))


def test_templates_that_norms_choose_serve_to_train_again():
    train = draw(3, 100)
    chosen = list(parse_trees(train, templates=[*TEMPLATES, "m.form[+2]"], method="spom", lam=3.0,
                              eta0=0.3, bits=BITS).used())  # fmt: skip
    assert 0 < len(chosen) < 5
    assert parse_trees(train, templates=chosen, bits=BITS).score(draw(4, 30)) > 0.9


def test_the_default_templates_are_read():
    templates = ArcTemplates(DEFAULT)
    assert templates.columns == ["form", "lemma", "upos", "xpos"] and len(DEFAULT) == 44


def with_heads(heads, size=3):
    return Sentences({"tag": ["N"] * size, "head": heads}, [size], [], [])


@pytest.mark.parametrize("sentences, options, sentence", [
    (with_heads(["2", "1", "0"]), {}, "make no tree"),
    (with_heads(["0", "0", "1"]), {}, "2 words under the root; say --many-roots"),
    (with_heads(["0", "9", "1"]), {}, "not a number from 0 to 3"),
    (with_heads(["0", "_", "1"]), {}, "not a number from 0 to 3"),
    (with_heads(["0", "1", "1"]), {"templates": ["h.form"]}, "column 'form', which is not there"),
    (with_heads(["0", "1", "1"]), {"templates": ["tag"]}, "'tag' is not a piece"),
    (with_heads(["0", "1", "1"]), {"templates": ["m.tag"] * 2}, "occurs twice"),
    (with_heads(["0", "1", "1"]), {"templates": []}, "templates holds none"),
    (with_heads(["0", "1", "1"]), {"bits": 40}, "bits is 40"),
    (Sentences({"tag": ["N"]}, [1], [], []), {}, "no column 'head'"),
])  # fmt: skip
def test_faults_are_told(sentences, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        parse_trees(sentences, **{"templates": ["h.tag+m.tag"], **options})


def test_several_roots_where_they_are_allowed():
    trees = with_heads(["0", "0", "1"])
    parser = parse_trees(trees, templates=["h.tag+m.tag+distance"], single_root=False, bits=10)
    assert len(parser.predict(trees)) == 3


@pytest.mark.parametrize("method", ["mira", "spom"])
def test_exact_features_do_what_hashed_ones_do_that_meet_nowhere(tmp_path, method):
    """The table begins with 2^16 places for some hundred features, and with 2 in `grow` below."""
    train, new = draw(30, 40, 0.3), draw(31, 20)
    options = {"templates": TEMPLATES, "method": method, "epochs": 4, "lam": 1e-2}
    exact = parse_trees(train, bits=None, **options)
    hashed = parse_trees(train, bits=24, **options)
    np.testing.assert_allclose(exact.norms, hashed.norms, rtol=1e-9)
    np.testing.assert_array_equal(exact.predict(new), hashed.predict(new))
    assert exact.losses == pytest.approx(hashed.losses) and exact.weights.all()
    assert len(exact.keys) == len(exact.weights) == np.count_nonzero(hashed.weights)
    ss.save(exact, tmp_path / "parser.npz")
    np.testing.assert_array_equal(ss.load(tmp_path / "parser.npz").predict(new),
                                  exact.predict(new))  # fmt: skip


def test_a_table_of_exact_features_grows_without_losing_any():
    sentences = draw(32, 6)
    templates = ArcTemplates(TEMPLATES)
    head, word, ptr = templates.codes(sentences.columns, sentences.lengths)
    gold = [np.array(h, dtype=np.intc) for _, _, h in rows(sentences)]

    def passed(size):
        work = ArcPass(head, word, templates.apart, ptr, np.zeros(size), np.zeros(size),
                       np.ones(4), np.zeros(4), np.zeros(size, dtype=np.uintc),
                       np.ones(4, dtype=np.uintc), np.zeros(size, dtype=np.uint64))  # fmt: skip
        for t in range(30):
            work.step(t % 6, gold[t % 6], True, 0.1, 0.0, t + 1.0)
        return work

    small, large = passed(2), passed(1 << 14)
    assert len(small.V) < len(large.V) and small.held == large.held <= len(small.V) / 2
    for s in range(6):
        np.testing.assert_array_equal(small.scores(s), large.scores(s))
    order = [np.argsort(np.asarray(work.keys)[np.asarray(work.keys) != 0])
             for work in (small, large)]  # fmt: skip
    totals = [np.asarray(work.total)[np.asarray(work.keys) != 0][at]
              for work, at in zip((small, large), order, strict=True)]  # fmt: skip
    np.testing.assert_array_equal(*totals)


def test_many_templates_are_read_and_pictures_show_those_in_use():
    many = many_templates()
    assert len(many) == len(set(many)) == 304
    assert ArcTemplates(many).columns == ["form", "lemma", "upos", "xpos"]
    pytest.importorskip("matplotlib").use("Agg")
    parser = parse_trees(draw(33, 30), templates=TEMPLATES, method="spom", lam=1e-2, epochs=3)
    lines = parser.plot().lines
    assert len(lines) == np.count_nonzero(parser.norms_along.any(axis=0))
    np.testing.assert_allclose(parser.norms_along[-1], parser.norms)
    with pytest.raises(ValueError, match="templates must be"):
        parse_trees(draw(33, 3), templates="all")
