"""Names of groups go through every result of every penalty on groups."""

import numpy as np
import pandas as pd
import pytest

import sparsesolve as ss
from sparsesolve import penalties as P

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(60, 7)), columns=list("abcdefg"))
Y = X["a"] + X["b"] + 0.5 * X["e"] + RNG.normal(size=60)
LABELS = ["u", "u", "v", "v", "w", "w", None]
APART = {"u": ["a", "b"], "v": ["c", "d"], "w": ["e", "f"]}
ACROSS = {"u": ["a", "b", "c"], "v": ["c", "d"], "w": ["e", "f"]}
NESTED = {"all": list("abcdef"), "u": ["a", "b"], "v": ["c", "d"]}
PENALTIES = [
    P.GroupL2(LABELS), P.GroupL2(APART), P.GroupLinf(APART), P.SparseGroup(APART),
    P.MCP(groups=APART), P.SCAD(groups=LABELS), P.Log(0.1, groups=APART),
    P.Bridge(0.5, groups=APART),
    P.OverlapL2(ACROSS), P.OverlapLinf(ACROSS), P.TreeL2(NESTED), P.TreeLinf(NESTED),
    P.LatentGroupL2(ACROSS), P.ExclusiveLasso(APART), P.Sum([P.L1(0.1), P.GroupL2(APART)]),
    P.Separate({tuple("abcdef"): P.GroupL2([0, 0, 1, 1, 2, 2]), "g": None}),
]  # fmt: skip


def numbers_of(penalty):
    """The features of each group as the user wrote them, by their place."""
    if isinstance(penalty, P.Separate):
        return {0: [0, 1], 1: [2, 3], 2: [4, 5], "g": [6]}
    given = penalty.groups
    if isinstance(given, list):
        given = {label: [c for c, own in zip("abcdefg", given, strict=True) if own == label]
                 for label in "uvw"}  # fmt: skip
    return {label: [ord(c) - ord("a") for c in own] for label, own in given.items()} | {"g": [6]}


@pytest.mark.parametrize("penalty", PENALTIES, ids=lambda penalty: type(penalty).__name__)
def test_groups_by_name(penalty, tmp_path):
    pytest.importorskip("matplotlib")
    fit = ss.path(X, Y, penalty=penalty, lambdas=[0.5, 0.2, 0.05])
    groups = numbers_of(penalty)
    assert {name: which.tolist() for name, which in fit.groups.items()} == groups
    named = fit.nonzero_groups()
    assert fit.df_groups.tolist() == [len(names) for names in named]
    for lam, names, which in zip(fit.lambdas, named, fit.nonzero(), strict=True):
        assert fit.nonzero_groups(lam) == names
        touched = {name for name, own in groups.items() if set(own) & set(which)}
        if isinstance(penalty, P.LatentGroupL2):  # a support is a union of groups
            assert set(names) <= touched and set(which) == {j for g in names for j in groups[g]}
        else:
            assert set(names) == touched
    words = fit.summary(0.05)
    assert f"{len(named[-1])} of {len(groups)} groups: {', '.join(map(str, named[-1]))}" in words
    frame = fit.to_frame(0.05).set_index("feature")
    holding = ", ".join(str(name) for name, own in groups.items() if 0 in own)
    assert frame["group"]["a"] == holding and frame["group"]["(intercept)"] == ""
    shown = {text.get_text() for text in fit.plot(by="group").texts}
    assert shown <= {name if isinstance(name, str) else f"group {name}" for name in groups}
    ss.save(fit, tmp_path / "model.npz")
    back = ss.load(tmp_path / "model.npz")
    if not isinstance(penalty, P.LatentGroupL2):  # whose shares need the penalty
        assert back.groups == fit.groups and back.nonzero_groups() == named


def test_groups_of_several_responses_and_of_a_cross_validation():
    Z = np.column_stack([Y, X["c"] + RNG.normal(size=60)])
    fit = ss.path(X, Z, family="multigaussian", penalty=P.GroupL2(APART), n_lambdas=10)
    some = abs(fit.coefs[0]) + abs(fit.coefs[1])
    for k, names in enumerate(fit.nonzero_groups()):
        rows = some[:, [k]].toarray().ravel()
        assert names == [name for name, which in fit.groups.items() if rows[which].any()]
    cv = ss.cv_path(X, Y, penalty=P.GroupL2(APART), n_folds=4, seed=0)
    assert cv.nonzero_groups() == cv.path.nonzero_groups(cv.lambda_1se) and len(cv.groups) == 4
    assert ss.path(X, Y, n_lambdas=3).groups is None
    with pytest.raises(ValueError, match="has no groups"):
        ss.path(X, Y, n_lambdas=3).nonzero_groups()
