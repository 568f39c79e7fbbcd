"""--penalty: words, parameters, groups, what does not go together, and models from a file."""

import argparse
import csv
import re

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties as P
from sparsesolve.__main__ import main
from sparsesolve.cli.options import make_penalty, read_penalty, refuse_penalty
from sparsesolve.data.tables import Table
from sparsesolve.penalties.registry import named_penalty

NAMES = np.array(["a", "b", "c", "d"])
RNG = np.random.default_rng(5)
X = RNG.normal(size=(50, 4))
Y = X @ [1.0, 1, 0, 0] + 0.3 * RNG.normal(size=50)


def args_of(penalty=None, groups=None, tau=None, grouped=False):
    chosen = None if penalty is None else read_penalty(penalty)
    return argparse.Namespace(penalty=chosen, groups=groups, tau=tau, grouped=grouped, file="x")


@pytest.mark.parametrize("text, penalty", [
    ("total_variation( 0.5 )", P.TotalVariation(l1=0.5)),
    ("slope(0.3)", P.Slope(q=0.3)),
    ("trace-norm", P.TraceNorm()),
    ("trace-norm(2,3)", P.TraceNorm((2, 3))),
    ("MCP(2)", P.MCP(2.0)),
    ("log(0.5)", P.Log(0.5)),
    ("bridge(0.5,0.01)", P.Bridge(0.5, smoothing=0.01)),
    ("berhu(2)", P.Berhu(2.0)),
    ("k-support(3)", P.KSupport(3)),
    ("exclusive-lasso", P.ExclusiveLasso()),
    ("total-variation-2d(4,1,0.5)", P.TotalVariation2D((4, 1), l1=0.5)),
    ("trend-filter(2)", P.TrendFilter(2)),
])  # fmt: skip
def test_words_and_parameters(text, penalty):
    """They mean the same in Python."""
    assert repr(make_penalty(args_of(text), None)) == repr(penalty) == repr(named_penalty(text))


@pytest.mark.parametrize("word, words", [
    ("group", "penalty='group' needs groups; give an object"), ("mcp(1)", "gamma must be above 1"),
    ("elastic_net", "leave it out for the elastic net"), ("mpc", "did you mean 'mcp'"),
])  # fmt: skip
def test_words_in_python(word, words):
    for solve in (ss.path, ss.cv_path, lambda *data, penalty: ss.online(
            *data, lam=0.1, method="rda", penalty=penalty)):  # fmt: skip
        with pytest.raises(ValueError, match=re.escape(words)):
            solve(X, Y, penalty=word)
    fit = ss.path(X, Y, penalty="mcp(2)", n_lambdas=5)
    assert (fit.coefs != ss.path(X, Y, penalty=P.MCP(2.0), n_lambdas=5).coefs).nnz == 0


def test_groups(tmp_path):
    file = tmp_path / "g.csv"
    file.write_text("feature,group\na,u\nb,u\nb,v\nc,v\n")
    table = Table(X, None, None, None, NAMES, {})
    latent = make_penalty(args_of("latent-group", file), table)
    assert latent.groups == {"u": [0, 1], "v": [1, 2]}
    for word, kind in (("overlap-linf", P.OverlapLinf), ("overlap-l2", P.OverlapL2)):
        made = make_penalty(args_of(word, file), table)
        assert isinstance(made, kind) and made.groups == {"u": [0, 1], "v": [1, 2]}
    file.write_text("feature,group\na,u\nb,u\na,all\nb,all\nc,all\n")
    tree = make_penalty(args_of("tree-linf", file), table)
    assert tree.groups == {"u": [0, 1], "all": [0, 1, 2]}
    file.write_text("feature,group\na,u\nb,u\nb,v\nc,v\n")
    with pytest.raises(ValueError, match="groups 'u' and 'v' cross"):
        make_penalty(args_of("tree-l2", file), table).over(4)
    graph = make_penalty(args_of("graph-tv(0.5)", file), table)
    assert graph.edges == [(0, 1), (1, 2)] and graph.l1 == 0.5
    with pytest.raises(ValueError, match="each group an edge"):
        make_penalty(args_of("graph-tv", "columns"), Table(X[:, :0], None, None, None, NAMES, {}))
    with pytest.raises(ValueError, match="group 'u' has 3 features; each group is an edge"):
        three = tmp_path / "three.csv"
        three.write_text("feature,group\na,u\nb,u\nc,u\n")
        make_penalty(args_of("graph-tv", three), table)
    with pytest.raises(ValueError, match="'b' into a second group; one is allowed, but with"):
        make_penalty(args_of("mcp", file), table)
    file.write_text("feature,group\na,u\nb,u\nc,v\n")
    assert make_penalty(args_of("scad", file), table).groups == {"u": [0, 1], "v": [2]}
    assert make_penalty(args_of("scad(3)", "columns"), table).groups.tolist() == [0, 1, 2, 3]
    columns = make_penalty(args_of("latent-group", "columns"), table)
    assert list(columns.groups) == [[0], [1], [2], [3]]
    assert isinstance(make_penalty(args_of(None, file), table), P.GroupL2)
    assert make_penalty(args_of(), table) is None


@pytest.mark.parametrize("text, words", [
    ("fused", "'fused' is none of group, sparse-group"),
    ("mcp(1)", "'mcp(1)': gamma must be above 1"),
    ("mcp(x)", "'mcp(x)': mcp takes (gamma), as numbers"),
    ("k-support(2.5)", "'k-support(2.5)': k must be a whole number"),
    ("log", "'log': log takes (epsilon)"),
    ("group(2)", "'group(2)': group takes no parameter"),
    ("trend-filter(7)", "degree must be from 0 to 3, not 7"),
    ("trend-filter(1.5)", "degree must be a whole number, not 1.5"),
    ("total-variation-2d", "total-variation-2d takes (rows,columns,l1)"),
    ("trace-norm(2)", "'trace-norm(2)': trace-norm takes (rows,columns), two whole numbers"),
])  # fmt: skip
def test_words_that_are_none(text, words):
    with pytest.raises(argparse.ArgumentTypeError) as caught:
        read_penalty(text)
    assert words in str(caught.value)


@pytest.mark.parametrize("given, words", [
    ({"penalty": "slope", "groups": "g"}, "--penalty slope has no groups; leave out --groups"),
    ({"penalty": "mcp", "tau": 0.5}, "--tau needs --groups"),
])  # fmt: skip
def test_what_does_not_go_together(given, words):
    with pytest.raises(ValueError, match=words):
        refuse_penalty(args_of(**given))


@pytest.mark.parametrize("text, more, options", [
    ("total-variation", [], {"penalty": P.TotalVariation()}),
    ("total-variation-2d(2,2,0.1)", [], {"penalty": P.TotalVariation2D((2, 2), l1=0.1)}),
    ("trend-filter", [], {"penalty": P.TrendFilter()}),
    ("slope", ["--standardize"], {"penalty": P.Slope(), "standardize": True}),
    ("mcp(2)", [], {"penalty": P.MCP(2.0)}),
    ("scad", ["--no-standardize"], {"penalty": P.SCAD(), "standardize": False}),
])  # fmt: skip
def test_models_from_a_file(tmp_path, capsys, text, more, options):
    file, model = tmp_path / "d.csv", tmp_path / "m.npz"
    with file.open("w", newline="") as stream:
        csv.writer(stream).writerows([[*NAMES, "y"], *np.column_stack([X, Y]).tolist()])
    words = [str(file), "--response", "y", "--penalty", text, *more, "--n-lambdas", "9"]
    assert main(["path", *words, "--save", str(model)]) == 0
    fit = ss.path(X, Y, n_lambdas=9, **options)
    assert capsys.readouterr().out == str(fit) + "\n"
    assert ss.load(model).coef(0.1) == pytest.approx(fit.coef(0.1))
    assert main(["cv", *words, "--folds", "3"]) == 0
    assert "1se" in capsys.readouterr().out
