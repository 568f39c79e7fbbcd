"""Groups of features: every way to write them, and a sentence for every mistake."""

import pickle

import numpy as np
import pandas as pd
import pytest
from cases import every

import sparsesolve as ss
from sparsesolve import penalties
from sparsesolve.penalties import GroupL2, GroupLinf, SparseGroup, prox
from sparsesolve.penalties.groups import read_groups

NAMES = list("abcdef")
WAYS = {  # to say that features 0 and 3, 1 and 5, 2 and 4 are together
    "numbers": [7, 1, 4, 7, 4, 1],
    "strings": ["u", "v", "w", "u", "w", "v"],
    "tuples": [(0, "u"), (1, "v"), (0, "w"), (0, "u"), (0, "w"), (1, "v")],
    "array": np.array([7, 1, 4, 7, 4, 1]),
    "array of strings": np.array(["u", "v", "w", "u", "w", "v"]),
    "array of objects": np.array(["u", 1, 2.5, "u", 2.5, 1], dtype=object),
    "series": pd.Series(["u", "v", "w", "u", "w", "v"], index=NAMES),
    "categories": pd.Categorical(["u", "v", "w", "u", "w", "v"]),
    "lists": [[0, 3], [1, 5], [2, 4]],
    "order within": [[3, 0], [5, 1], [4, 2]],
    "numpy's integers": [[np.int64(0), np.int32(3)], [1, 5], np.array([2, 4])],
    "rows": np.array([[0, 3], [1, 5], [2, 4]]),
    "sets": [{0, 3}, {1, 5}, {2, 4}],
    "ranges": [range(0, 6, 3), range(1, 6, 4), range(2, 5, 2)],
    "mapping": {"u": [0, 3], "v": (1, 5), "w": range(2, 5, 2)},
    "names": [["a", "d"], ["b", "f"], ["c", "e"]],
    "mapping to names": {"u": ["a", "d"], "v": ["b", "f"], "w": np.array(["c", "e"])},
}


def test_an_iterator_is_read_once_and_kept():
    penalty = GroupL2(j % 2 for j in range(4))
    assert penalty.over(4).layout.of.tolist() == penalty.over(4).layout.of.tolist() == [0, 1, 0, 1]
    assert repr(penalty) == "GroupL2([0, 1, 0, 1], None)"


@pytest.mark.parametrize("none", [None, np.nan, pd.NA, pd.NaT], ids=str)
def test_features_of_no_group_are_groups_of_one_after_the_others(none):
    layout = read_groups([none, "x", none, "x", "y"], 5)
    assert layout.of.tolist() == [2, 0, 3, 0, 1]
    assert layout.labels == ["x", "y", None, None] and layout.n_named == 2
    assert read_groups([[3, 1], [4]], 5).of.tolist() == layout.of.tolist()
    assert read_groups({}, 3).of.tolist() == [0, 1, 2]


def test_labels_are_those_of_the_user_in_the_order_they_appear():
    assert read_groups(["b", "a", "b"], 3).labels == ["b", "a"]
    assert read_groups({"late": [2], "early": [0]}, 3).labels == ["late", "early", None]
    assert read_groups([[1], [0, 2]], 3).labels == [0, 1]
    assert read_groups([1, 1.0, True], 3).n_named == 1  # equal as Python has it


MISTAKES = [
    ("aabbcc", TypeError, "groups is 'aabbcc'; give a label per feature, or a list of lists"),
    (3, TypeError, "groups is 3; give a label per feature"),
    (None, TypeError, "groups is None"),
    ([], ValueError, "groups has 0 labels for 6 features; give one label per feature"),
    ([0, 0, 1], ValueError, "groups has 3 labels for 6 features"),
    ([[0, 1], 2], TypeError, "groups is 2; give a label"),
    ([[0, 1], []], ValueError, "group 1 has no features; leave it out"),
    ([[0, 6]], ValueError, "group 0 holds 6; features are numbered from 0 to 5"),
    ([[1], [0, -1]], ValueError, "group 1 holds -1; features are numbered from 0 to 5"),
    ([[0.0, 1.0]], ValueError, "group 0 holds 0.0; features"),
    ([[True, False]], ValueError, "group 0 holds True; features"),
    ([[None]], ValueError, "group 0 holds None; features"),
    ([["a", "z"]], ValueError, "group 0 names 'z', which is not a column of X"),
    ([["a", 1]], ValueError, "group 0 holds 'a'; features"),
    ([[0, 0]], ValueError, r"feature 0 \('a'\) is twice in group 0; groups must not overlap"),
    ([[0, 1], [2], [5, 1]], ValueError, r"feature 1 \('b'\) is in groups 0 and 2.*latent group"),
    ({"u": ["a", "b"], "v": ["b"]}, ValueError, r"feature 1 \('b'\) is in groups 'u' and 'v'"),
]


@every("groups, kind, sentence", MISTAKES)
def test_mistakes_are_named(groups, kind, sentence):
    with pytest.raises(kind, match=sentence):
        read_groups(groups, 6, NAMES)


def test_names_need_a_frame_and_features_are_named_by_number_without_one():
    with pytest.raises(ValueError, match="group 0 names 'a', but the columns of X have no"):
        read_groups([["a", "b"]], 6)
    with pytest.raises(ValueError, match="feature 1 is in groups 0 and 1"):
        read_groups([[0, 1], [1, 2]], 6)
    with pytest.raises(ValueError, match="is twice in group 'one'"):
        read_groups({"one": ["a", "a"]}, 6, NAMES)


# Weights


def weights(groups, given, p=5):
    return np.asarray(GroupL2(groups, given).over(p).weight).tolist()


def test_weights_are_square_roots_of_sizes_or_those_given_and_1_for_the_rest():
    groups = ["u", None, "v", "u", "u"]
    assert weights(groups, None) == [np.sqrt(3), 1, 1]
    assert weights(groups, [2, 0.5]) == [2, 0.5, 1]
    assert weights(groups, np.array([2, 3])) == [2, 3, 1]
    assert weights(groups, {"v": 4}) == [np.sqrt(3), 4, 1]
    assert weights([[0, 3, 4], [2]], {1: 4}) == [np.sqrt(3), 4, 1]
    assert weights(groups, [0, np.inf]) == [0, 1, 1]  # and inf is a limit of 0


def test_an_infinite_weight_holds_a_group_at_zero():
    penalty = GroupL2([[0, 2], [1]], [np.inf, 1.0]).over(3)
    assert penalty.prox(np.array([9.0, 9.0, -9.0]), 1.0).tolist() == [0, 8, 0]
    assert penalty.polar(np.array([9.0, 2.0, -9.0])) == 2
    assert penalty.value(np.array([1.0, 0.0, 0.0])) == np.inf


@pytest.mark.parametrize("given, kind, sentence", [
    ([1.0], ValueError, r"weights has shape \(1,\) for 2 named groups; give one each"),
    (2.0, ValueError, r"weights has shape \(\) for 2 named groups"),
    ([1.0, -1.0], ValueError, "weights has -1.0 for group 1; weights are at least 0"),
    ([np.nan, 1.0], ValueError, "weights has nan for group 0"),
    ({"z": 1.0}, ValueError, "weights name the group 'z', which groups does not have"),
    ({"v": -2.0}, ValueError, "weights has -2.0 for group 1"),
    (["1", "2"], TypeError, "weights must be numbers, not <U1"),
    ({"v": "heavy"}, TypeError, "weights must be numbers"),
])  # fmt: skip
@pytest.mark.parametrize("penalty", [GroupL2, GroupLinf])
def test_wrong_weights_are_named(penalty, given, kind, sentence):
    with pytest.raises(kind, match=sentence):
        penalty(["u", "v", "u"], weights=given).over(3)


# As a path takes them


@pytest.fixture
def data():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((30, 6))
    return X, X[:, 0] - X[:, 3] + rng.standard_normal(30)


@pytest.mark.parametrize("way", WAYS)
def test_a_path_takes_all_of_them(data, way):
    X, y = data
    fit = ss.path(pd.DataFrame(X, columns=NAMES), y, penalty=GroupL2(WAYS[way]), n_lambdas=3)
    plain = ss.path(X, y, penalty=GroupL2(WAYS["numbers"]), n_lambdas=3)
    assert (fit.coefs != plain.coefs).nnz == 0
    labels = list(WAYS[way]) if isinstance(WAYS[way], dict) else None
    assert [which.tolist() for which in fit.groups.values()] == [[0, 3], [1, 5], [2, 4]]
    assert labels is None or list(fit.groups) == labels


def test_the_groups_of_a_penalty_are_not_changed_and_it_pickles(data):
    groups = np.array([0, 1, 2, 0, 2, 1])
    groups.setflags(write=False)
    fit = ss.path(*data, penalty=SparseGroup(groups, 0.2), n_lambdas=3)
    again = pickle.loads(pickle.dumps(fit))
    assert repr(again.options["penalty"]) == repr(SparseGroup(groups, 0.2))
    between = np.sqrt(fit.lambdas[:-1] * fit.lambdas[1:])
    same = ss.path(*data, penalty=SparseGroup(groups, 0.2), lambdas=between)
    exact = again.coef(between, exact=True, X=data[0], y=data[1])
    assert exact == pytest.approx(same.coefs.toarray(), abs=1e-5)


def test_penalty_factors_are_one_per_group(data):
    with pytest.raises(ValueError, match="penalty_factor has 6 values but X has 2 groups"):
        ss.path(*data, penalty=GroupL2([0, 0, 0, 1, 1, 1]), penalty_factor=np.ones(6))


@pytest.mark.parametrize("options, kind, sentence", [
    ({"penalty": "group"}, ValueError, "penalty='group' needs groups; give an object"),
    ({"penalty": GroupL2}, TypeError, "penalty is the class GroupL2; pass an object"),
    ({"penalty": GroupL2([0] * 5)}, ValueError, "groups has 5 labels for 6 features"),
    ({"penalty": GroupL2([0] * 6), "solver": "ridge", "alpha": 0.0}, ValueError, "no groups"),
])  # fmt: skip
def test_what_a_path_refuses(data, options, kind, sentence):
    with pytest.raises(kind, match=sentence):
        ss.path(*data, **options)


def test_families_of_several_responses_have_groups_of_features(data):
    fit = ss.path(data[0], np.arange(30) % 3, family="multinomial", penalty=GroupL2([0] * 6))
    assert set(fit.df) <= {0, 6} and not fit.status.any()


@pytest.mark.parametrize("groups, change", [
    ({"a": [0, 1], "b": [2, 3]}, lambda g: g.update(a=[0, 2], b=[1, 3])),
    ([np.array([0, 1]), np.array([2, 3])], lambda g: g[0].__setitem__(1, 2)),
    (([0, 1], [2, 3]), lambda g: g[0].append(2)),
    ([{0, 1}, {2, 3}], lambda g: g[0].add(2)), (np.array([0, 0, 1, 1]), lambda g: g.fill(0)),
])  # fmt: skip
def test_what_the_user_changes_later_changes_nothing(groups, change):
    """A path that was continued went on with other groups, or weights."""
    weights = np.array([1.0, 2.0])
    penalty = GroupL2(groups, weights)
    change(groups)
    weights[:] = 7.0
    again = penalty.over(4)
    assert np.asarray(again.of).tolist() == [0, 0, 1, 1]
    assert np.asarray(again.weight).tolist() == [1.0, 2.0]


def test_weights_of_a_series_are_taken_by_position():
    made = GroupL2([1, 1, 0, 0], pd.Series([1.0, 0.0])).over(4)
    assert np.asarray(made.weight).tolist() == [1.0, 0.0]


def test_a_name_of_two_columns_says_nothing():
    """The last of them had been taken."""
    names = list("aabc")
    assert read_groups([["b", "c"]], 4, names).of.tolist() == [1, 2, 0, 0]
    with pytest.raises(ValueError, match="group 0 names 'a', as several columns of X are called"):
        read_groups([["a", "b"]], 4, names)


# Every function with groups reads them, and their weights, in one order

V = np.array([3.0, -2.0, 1.5, 0.5, -4.0])
FORMS = (["b", "a", "b", "a", "b"], {"b": [0, 2, 4], "a": [1, 3]}, [[0, 2, 4], [1, 3]])
READERS = {
    "GroupL2": lambda groups, d: penalties.GroupL2(groups, d).over(5).prox(V, 0.5),
    "GroupBall": lambda groups, d: penalties.GroupBall(groups, 2.0, d).prox(V),
    "project_groups": lambda groups, d: prox.project_groups(V, 2.0, groups, d),
    "squared_l1": lambda groups, d: prox.squared_l1(V, 0.5, d, groups=groups),
    "power": lambda groups, d: prox.power(V, 0.5, 1.5, d, groups=groups),
    "MCP": lambda groups, d: penalties.MCP(groups=groups, weights=d).prox(V, 0.5),
}


@pytest.mark.parametrize("name", READERS)
def test_groups_and_weights_have_one_order_of_first_appearance(name):
    answer = READERS[name]
    known = answer(np.array([0, 1, 0, 1, 0]), [0.25, 2.0])
    for groups in FORMS:
        np.testing.assert_allclose(answer(groups, [0.25, 2.0]), known, rtol=1e-14)
        with pytest.raises(ValueError, match="weights has shape"):
            answer(groups, [1.0, 1.0, 1.0])
    np.testing.assert_allclose(answer(FORMS[0], {"a": 2.0, "b": 0.25}), known, rtol=1e-14)
    assert not np.allclose(answer(FORMS[0], [2.0, 0.25]), known)


def test_windows_intervals_and_rectangles():
    assert len(penalties.interval_groups(5)) == 8 and penalties.interval_groups(1) == [[0]]
    assert len(penalties.rectangle_groups((3, 4))) == 2 * 2 + 2 * 3
    assert penalties.rectangle_groups((1, 1)) == [[0]]
    assert len(penalties.window_groups((5, 6), (2, 3))) == 4 * 4
    assert penalties.window_groups((3, 3), 3) == [list(range(9))]
    with pytest.raises(ValueError, match="size 4 is larger than shape 3"):
        penalties.window_groups(3, 4)
    with pytest.raises(ValueError, match="n_features must be at least 1"):
        penalties.interval_groups(0)
    with pytest.raises(TypeError, match=r"shape\[1\] must be a whole number"):
        penalties.rectangle_groups((2, 2.5))
    with pytest.raises(ValueError, match="size must be a pair"):
        penalties.window_groups((3, 3), (1, 1, 1))
