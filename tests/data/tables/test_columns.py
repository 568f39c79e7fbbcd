"""Which column plays which part, labels made of text, and groups of features."""

import numpy as np
import pytest

from sparsesolve.data.tables.columns import Parts, Table, labels_of, parts, read_feature_groups

NAMES = ["a", "b", "y", "w", "o", "s"]


def found(names=NAMES, response=("y",), weights=None, offset=None, drop=(), **more):
    return parts(list(names), list(response), weights, offset, drop, **more)


def test_what_plays_no_part_is_a_feature():
    assert found() == Parts([0, 1, 3, 4, 5], [2], None, None, [], {})
    assert found(weights="w", offset="o", drop=["b"], marks={"strata": "s"}) == Parts(
        [0], [2], 3, 4, [1], {"strata": 5})  # fmt: skip
    assert found(response=["b", "a"]).response == [1, 0]  # in the order asked for
    assert found(drop=["b", "b"]).dropped == [1]


def test_other_columns_without_a_name_must_be_empty():
    assert found(["a", "y", "", ""]) == Parts([0], [1], None, None, [], {}, unnamed=(2, 3))


def test_row_labels_without_a_name_are_dropped():
    assert found(["", "a", "y"]) == Parts([1], [2], None, None, [0], {})
    assert found(["", "a", "b", "y"], drop=["b"]).dropped == [0, 2]


def test_named_features_leave_out_all_others():
    part = found(response=(), features=["b", "a"], weights="w", marks={"fold": "s"})
    assert part == Parts([1, 0], [], 3, None, [2, 4], {"fold": 5}, False)
    assert found(features=["o"]).response == [2]
    assert found(["", "a", "b"], response=(), features=["b"]) == Parts(
        [2], [], None, None, [0, 1], {}, False)  # fmt: skip


@pytest.mark.parametrize("options, sentence", [
    ({"names": []}, "the file is empty"),
    ({"names": ["1", "2e3", "nan"]},
     "the first line holds numbers; it must hold the names of the columns"),
    ({"names": ["a", "y", "a"]}, "two columns are named 'a'; rename one"),
    ({"response": ()}, "say which column to fit with --response; there are 'a', 'b', 'y', 'w', "
     "'o', 's'"),
    ({"names": [*"abcdefgh"], "response": ()}, "say which column to fit with --response; there "
     "are 'a', 'b', 'c', 'd', 'e', 'f' and 2 more"),
    ({"response": ["Y2"]}, "no column is named 'Y2'; there are 'a', 'b', 'y', 'w', 'o', 's'"),
    ({"names": ["age", "y"], "drop": ["agee"]},
     "no column is named 'agee'; did you mean 'age'?"),
    ({"marks": {"strata": "stratum"}},
     "no column is named 'stratum'; there are 'a', 'b', 'y', 'w', 'o', 's'"),
    ({"features": ["a", "q"]}, "no column is named 'q'; there are 'a', 'b', 'y', 'w', 'o', 's'"),
    ({"weights": "w", "offset": "w"}, "column 'w' is given two parts; choose one"),
    ({"response": ["y", "y"]}, "column 'y' is given two parts; choose one"),
    ({"drop": ["y"]}, "column 'y' is given two parts; choose one"),
    ({"offset": "s", "marks": {"strata": "s"}}, "column 's' is given two parts; choose one"),
    ({"names": ["", "y"]}, "no column is left for X"),
    ({"drop": [*"abwos"]}, "no column is left for X"),
    ({"features": []}, "no column is left for X"),
])  # fmt: skip
def test_what_cannot_be(options, sentence):
    with pytest.raises(ValueError) as caught:
        found(**options)
    assert str(caught.value) == sentence


def test_a_name_of_digits_among_others_is_a_name():
    assert found(["1", "y"]).features == [0]


@pytest.mark.parametrize("texts, dtype, labels", [
    (["b", "a"], np.dtype("<U1"), ["b", "a", "b"]),
    (["10", "9"], np.int64, [10, 9, 10]),
    (["1.0", "-2e0"], np.int64, [1, -2, 1]),
    (["0.5", "1"], np.float64, [0.5, 1.0, 0.5]),
    (["1", "one"], np.dtype("<U3"), ["1", "one", "1"]),
    (["9007199254740992", "1"], np.float64, [2.0**53, 1.0, 2.0**53]),
    (["9007199254740991", "1"], np.int64, [2**53 - 1, 1, 2**53 - 1]),
    (["-9007199254740992", "1"], np.float64, [-(2.0**53), 1.0, -(2.0**53)]),
])  # fmt: skip
def test_labels_are_numbers_where_all_are(texts, dtype, labels):
    read = labels_of(texts, np.array([0, 1, 0]))
    assert read.dtype == dtype and read.tolist() == labels


NAMED = Table(np.zeros((1, 4)), None, None, None, np.array(["a", "b, c", "d", "e"]))
NAMELESS = Table(np.zeros((1, 4)), None, None, None, None)


@pytest.mark.parametrize("text", [
    'feature,group\nd,u\n"b, c",v\na,u\n',
    '\ufeff Feature , GROUP \r\n d , u \r\n\r\n"b, c", v\r\na,u\r\n',
])  # fmt: skip
def test_features_are_found_by_name(tmp_path, text):
    (tmp_path / "g.csv").write_bytes(text.encode())
    groups = read_feature_groups(str(tmp_path / "g.csv"), "data.csv", NAMED)
    assert groups == {"u": [2, 0], "v": [1]}
    assert list(groups) == ["u", "v"]  # e, which is not named, is left to itself


def test_an_array_beside_the_data(tmp_path, monkeypatch):
    np.savez(tmp_path / "d.npz", X=np.zeros((1, 4)), kinds=[3, 3, 1, 1])
    (tmp_path / "D.NPZ").write_bytes((tmp_path / "d.npz").read_bytes())
    for name in ("d.npz", "D.NPZ"):
        found = read_feature_groups("kinds", str(tmp_path / name), NAMELESS)
        assert found.tolist() == [3, 3, 1, 1]
    (tmp_path / "kinds").write_text("feature,group\na,u\n")  # where there is no such array: a file
    np.savez(tmp_path / "d.npz", X=np.zeros((1, 4)))
    monkeypatch.chdir(tmp_path)
    assert read_feature_groups("kinds", "d.npz", NAMED) == {"u": [0]}


@pytest.mark.parametrize("text, sentence", [
    ("", "the first line must be feature,group"),
    ("group,feature\nu,a\n", "the first line must be feature,group"),
    ("feature,group,more\n", "the first line must be feature,group"),
    ("feature,group\n", "there are no features below the header"),
    ("feature,group\n\n\n", "there are no features below the header"),
    ("feature,group\na,u\nd,u,v\n", "line 3 has 3 cells; a feature and its group are two"),
    ("feature,group\n\nd\n", "line 3 has 1 cells; a feature and its group are two"),
    ("feature,group\nb,u\n", "line 2 names 'b', which is not a column of X"),
    ("feature,group\na,u\nd,u\na,u\n", "line 4 puts 'a' into 'u' a second time"),
    ("feature,group\na,u\nd,u\na,v\n", "line 4 puts 'a' into a second group; one is allowed, but "
     "with --penalty latent-group, overlap-linf, overlap-l2, tree-l2 or tree-linf"),
])  # fmt: skip
def test_what_is_no_file_of_groups(tmp_path, text, sentence):
    source = str(tmp_path / "g.csv")
    (tmp_path / "g.csv").write_text(text)
    with pytest.raises(ValueError) as caught:
        read_feature_groups(source, "data.csv", NAMED)
    assert str(caught.value) == f"{source}: {sentence}"


def test_data_without_names():
    with pytest.raises(ValueError) as caught:
        read_feature_groups("g.csv", "data.svm", NAMELESS)
    assert str(caught.value) == (
        "g.csv: the data have no names of columns to which it could refer"
    )
