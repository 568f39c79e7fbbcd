"""Options of the command line, read without running a command."""

import argparse

import numpy as np
import pytest

from sparsesolve import families
from sparsesolve.cli.options import (
    add_data_options,
    add_model_options,
    check_targets,
    fit_options,
    per_feature,
    read_data,
)
from sparsesolve.data.tables import Table

NAMES = np.array(["a", "b=c", "d"])


class Parser(argparse.ArgumentParser):
    """One that raises what it would end the program with."""

    def error(self, message):
        raise ValueError(message)


def read(*options, file="data.csv"):
    parser = Parser()
    add_data_options(parser)
    add_model_options(parser)
    return parser.parse_args([file, *map(str, options)])


def table(names=NAMES, marks=None, **more):
    return Table(np.zeros((4, 3)), None, more.get("weights"), more.get("offset"), names,
                 marks or {})  # fmt: skip


def options_of(*options, data=None):
    return fit_options(read(*options), table() if data is None else data)


def test_without_options_all_is_left_to_path():
    assert options_of() == {
        "family": "gaussian", "grouped": False, "intercept": True, "standardize": True,
        "n_threads": 1, "progress": False, "weights": None, "offset": None,
    }  # fmt: skip


@pytest.mark.parametrize("given, name, value", [
    (["--alpha", 0.5], "alpha", 0.5),
    (["--alpha", 0], "alpha", 0.0),
    (["--grouped"], "grouped", True),
    (["--n-lambdas", 7], "n_lambdas", 7),
    (["--lambda-min-ratio", 0.1], "lambda_min_ratio", 0.1),
    (["--lambdas", "1,0.5, 0.1"], "lambdas", [1.0, 0.5, 0.1]),
    (["--to-the-end"], "stop", None),
    (["--dfmax", 0], "dfmax", 0),
    (["--pmax", 3], "pmax", 3),
    (["--no-intercept"], "intercept", False),
    (["--no-standardize"], "standardize", False),
    (["--standardize-groups"], "standardize", "group"),
    (["--tol", 1e-9], "tol", 1e-9),
    (["--max-iter", 5], "max_iter", 5),
    (["--solver", "newton"], "solver", "newton"),
    (["--threads", -1], "n_threads", -1),
    (["--family", " poisson "], "family", "poisson"),
])  # fmt: skip
def test_each_option_is_a_keyword_of_path(given, name, value):
    assert options_of(*given)[name] == value
    wanted = {**options_of(), name: value}
    assert options_of(*given) == wanted


@pytest.mark.parametrize("text, family", [
    ("huber", families.huber()),
    ("huber(2.5)", families.huber(2.5)),
    (" huber ( 2.5 ) ", families.huber(2.5)),
    ("cox(efron)", families.cox("efron")),
    ("cox('breslow')", families.cox("breslow")),
    ("probit()", families.probit()),
])  # fmt: skip
def test_families_with_a_parameter(text, family):
    found = read("--family", text).family
    assert type(found) is type(family) and found.name == family.name
    y, w = np.column_stack([np.arange(1.0, 9.0), np.arange(8) % 2]), np.full(8, 1 / 8)
    y = y if family.name == "cox" else y[:, 1]
    eta = np.linspace(-3, 3, 8)
    ours, theirs = (each.loss(each.read(y, 8).values, w).at(eta) for each in (found, family))
    assert ours[0] == theirs[0] and np.array_equal(ours[1], theirs[1])


@pytest.mark.parametrize("text, words", [
    ("gausian", "family must be one of 'gaussian', 'binomial', "),
    ("gaussian(2)", "not 'gaussian(2)'; did you mean 'gaussian'?"),
    ("huber(x)", "'huber(x)': "),
])  # fmt: skip
def test_families_that_are_none(text, words):
    with pytest.raises(ValueError) as caught:
        read("--family", text)
    assert words in str(caught.value) and str(caught.value).startswith("argument --family: ")


@pytest.mark.parametrize("texts, wanted", [
    (["2"], [2, 2, 2]),
    (["a=3"], [3, 1, 1]),
    (["a=3", "2", "d=inf"], [3, 2, np.inf]),  # what is said of all comes first
    (["b=c=5"], [1, 5, 1]),  # the last = counts
    (["=7"], [7, 7, 7]),
    (["a=1", "a=2"], [2, 1, 1]),
])  # fmt: skip
def test_a_number_for_each_feature(texts, wanted):
    found = per_feature("penalty_factor", texts, 1.0, read(), table())
    assert found.tolist() == wanted


@pytest.mark.parametrize("texts, sentence", [
    (["x"], "--penalty-factor 'x': 'x' is not a number"),
    (["a="], "--penalty-factor 'a=': '' is not a number"),
    (["z=1"], "--penalty-factor 'z=1': no column of X is named 'z'"),
])  # fmt: skip
def test_numbers_that_are_none(texts, sentence):
    for named_table in (table(), table(names=None)):
        with pytest.raises(ValueError) as caught:
            per_feature("penalty_factor", texts, 1.0, read(), named_table)
        assert str(caught.value) == sentence


def test_limits_are_passed_on_where_they_are_given():
    found = options_of("--lower", "-1", "--upper", "a=2", "--penalty-factor", "d=0")
    assert found["lower"].tolist() == [-1] * 3
    assert found["upper"].tolist() == [2, np.inf, np.inf]
    assert found["penalty_factor"].tolist() == [1, 1, 0]
    assert not {"lower", "upper", "penalty_factor"} & set(options_of())


@pytest.mark.parametrize("given, sentence", [
    (["--penalty", "group"], "--penalty needs --groups, which features belong together"),
    (["--tau", 0.5], "--tau needs --groups, which features belong together"),
    (["--groups", "g", "--grouped"],
     "--grouped ties classes and --groups features; choose one"),
    (["--groups", "g", "--tau", 0.5], "--tau belongs to --penalty sparse-group"),
    (["--groups", "g", "--tau", 0.5, "--penalty", "group"],
     "--tau belongs to --penalty sparse-group"),
    (["--strata", "s"], "--strata belongs to --family cox"),
])  # fmt: skip
def test_options_that_do_not_go_together(given, sentence):
    with pytest.raises(ValueError) as caught:
        read_data(read(*given, file="there-is-no-file.csv"))
    assert str(caught.value) == sentence


def test_results_that_would_replace_a_file(tmp_path):
    data, other = tmp_path / "data.csv", tmp_path / "new.csv"
    check_targets([data, None], out=other, plot=None, save=tmp_path / "new.npz")
    check_targets([data], out="-", save=other)
    with pytest.raises(ValueError, match="would replace the file that is read"):
        check_targets([tmp_path / "m.npz", data], out=f"{tmp_path}/./data.csv")
    with pytest.raises(ValueError) as caught:
        check_targets([data], out=other, save=other)
    assert str(caught.value) == (
        f"--save {other} would replace the file that --out writes; give another name"
    )
