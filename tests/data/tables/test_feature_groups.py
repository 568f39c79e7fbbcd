"""Groups of features from a file of two columns, or from an array beside the data."""

import numpy as np
import pytest

from sparsesolve.data.tables.columns import Table, read_feature_groups

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
