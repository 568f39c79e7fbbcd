"""One table of layouts and packings serves every command; the same rows give the same answers."""

import bz2
import gzip
import io
import lzma
import sys

import numpy as np
import pytest
from cases import printed, run
from scipy import sparse

import sparsesolve as ss
from sparsesolve.data.tables.files import LAYOUTS, PACKED

RNG = np.random.default_rng(0)
X = np.where(RNG.random((90, 4)) < 0.7, RNG.normal(size=(90, 4)).round(3), 0.0)
Y = (X[:, 0] - X[:, 1] + 0.5 * RNG.normal(size=90) > 0).astype(int)
PACK = {"": bytes, ".gz": gzip.compress, ".GZ": gzip.compress, ".bz2": bz2.compress,
        ".xz": lzma.compress}  # fmt: skip
NAMES = ["1", "2", "3", "4"]  # those of SVMlight


def table_of(layout):
    """The same rows as bytes of a layout."""
    rows = list(zip(X.tolist(), Y.tolist(), strict=True))
    if layout == "csv":
        lines = [",".join(["label", *NAMES])]
        lines += [",".join(map(str, [y, *x])) for x, y in rows]
    elif layout in ("svmlight", "vw"):
        bar = " |" if layout == "vw" else ""
        lines = [f"{y}{bar} " + " ".join(f"{j}:{v}" for j, v in enumerate(x, 1) if v)
                 for x, y in rows]  # fmt: skip
    else:
        stream = io.BytesIO()
        if layout == "npz":
            np.savez(stream, X=X, y=Y, feature_names=NAMES)
        else:
            pa = pytest.importorskip("pyarrow")
            from pyarrow import parquet

            columns = {name: X[:, j] for j, name in enumerate(NAMES)}
            parquet.write_table(pa.table({"label": Y, **columns}), stream)
        return stream.getvalue()
    return "\n".join([*lines, ""]).encode()


@pytest.fixture
def models(tmp_path):
    """Models of a path and of online learning, with the names of SVMlight's features."""
    data = sparse.csr_array(X)
    path = ss.path(data, Y, family="binomial", n_lambdas=5, feature_names=NAMES)
    ss.save(path, tmp_path / "path.npz")
    return tmp_path / "path.npz"


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_command_takes_every_layout(tmp_path, models, capsys, layout, packing):
    assert set(PACK) >= set(PACKED)
    file = tmp_path / f"data{LAYOUTS[layout][0]}{packing}"
    file.write_bytes(PACK[packing](table_of(layout)))
    named = ["--response", "label"] if layout in ("csv", "parquet") else []
    model, out = tmp_path / "m.npz", tmp_path / "out.csv"
    fit = [*named, "--family", "binomial", "--quiet"]
    expected = ss.load(models)
    coef = ["--lambdas", "0.1,0.02", "--no-standardize", "--out", "-"]
    known = ss.path(X, Y, family="binomial", lambdas=[0.1, 0.02], standardize=False)
    for command in ("path", "cv"):
        lines = printed(capsys, command, file, *fit, *coef, *["--seed", "0"] * (command == "cv"))
    printed(capsys, "path", file, *fit, *coef[:3], "--save", model)
    found = ss.load(model)
    order = np.argsort(found.feature_names.astype(int))
    np.testing.assert_allclose(found.coefs.toarray()[order], known.coefs.toarray(), atol=1e-6)
    assert lines.startswith("lambda,feature,coefficient")
    values = printed(capsys, "predict", models, file, "--s", "0.05").split()
    np.testing.assert_allclose([float(v) for v in values[1:]],
                               expected.predict(X, 0.05, kind="response"))  # fmt: skip
    told = printed(capsys, "assess", models, file, *named, "--s", "0.05")
    for line in told.split()[1:]:
        name, value = line.split(",")
        assert float(value) == pytest.approx(ss.assess(expected, X, Y, 0.05)[name])
    printed(capsys, "online", file, *fit, "--lam", "0.02", "--save", model)
    learned = ss.online(X, Y, family="binomial", lam=0.02)
    values = printed(capsys, "predict", model, file, "--out", "-").split()
    np.testing.assert_allclose([float(v) for v in values[1:]], learned.predict(X, "response"))
    told = printed(capsys, "assess", model, file, *named, "--out", out)
    assert "auc" in out.read_text()


@pytest.mark.parametrize("packing", PACK)
def test_sentences_take_every_packing(tmp_path, capsys, packing):
    text = "dogs N 2\nbark V 0\n\nloud A 2\ncats N 3\nmeow V 0\n"
    file, out = tmp_path / f"s.txt{packing}", tmp_path / "t.npz"
    file.write_bytes(PACK[packing](text.encode()))
    columns = ["--columns", "form,upos,head"]
    printed(capsys, "tag", file, *columns, "--templates", "default", "--out", out)
    assert printed(capsys, "predict", out, file, "--out", "-").split() == text.split()
    (tmp_path / "own").write_text("m.form\n")
    printed(capsys, "parse", file, *columns, "--templates", tmp_path / "own", "--bits", "8",
            "--out", out)  # fmt: skip
    assert len(printed(capsys, "predict", out, file, "--out", "-").split()) == len(text.split())


@pytest.mark.parametrize("layout", ["csv", "svmlight", "vw"])
def test_marks_of_encodings_and_standard_input(tmp_path, models, capsys, monkeypatch, layout):
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        text = table_of(layout).decode().encode(encoding)
        for command in (["predict", models, "-", "--s", "0.05"],
                        ["online", "-", "--lam", "0.1", "--quiet",
                         *["--response", "label"] * (layout == "csv")]):  # fmt: skip
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
            out = printed(capsys, *command, "--format", layout)
        assert out == ""


@pytest.mark.parametrize("packing", [".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("layout", ["csv", "svmlight", "vw"])
def test_damaged_files_end_in_a_sentence(tmp_path, models, capsys, layout, packing):
    whole = PACK[packing](table_of(layout) * 30)
    broken = bytearray(whole)
    broken[len(whole) // 2] ^= 0xFF
    for data in (whole[: len(whole) // 2], bytes(broken), b"no archive"):
        file = tmp_path / f"d{LAYOUTS[layout][0]}{packing}"
        file.write_bytes(data)
        for command in (["path", file, "--response", "label"], ["online", file, "--lam", "0.1"],
                        ["predict", models, file]):  # fmt: skip
            named = ["--response", "label"] if layout == "csv" and command[0] == "online" else []
            words = [*command, *named]
            assert run(*(words if layout == "csv" or command[0] != "path" else words[:2])) == 2
            err = capsys.readouterr().err
            assert err.count("\n") == 1 and f"{file}: it cannot be unpacked" in err
