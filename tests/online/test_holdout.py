"""Rows held out: what is learned, when learning ends, and which weights come back."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.online.passes import mean_loss, read_holdout, split


def data(n=200, p=30, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, (X[:, 0] + rng.logistic(size=n) > 0).astype(float)


def test_losses_are_of_the_rows_held_out_and_the_best_pass_comes_back():
    X, y = data()
    options = {"family": "binomial", "lam": 1e-5, "step": 3.0}
    fit = ss.online(X[:60], y[:60], passes=12, holdout=(X[60:], y[60:]), patience=3, **options)
    by_hand, losses = ss.online(X[:60], y[:60], **options), []
    for _ in range(len(fit.holdout_losses)):
        eta = X[60:] @ by_hand.coef() + by_hand.intercept
        losses.append(np.mean(np.logaddexp(0.0, eta) - y[60:] * eta))
        by_hand.more(X[:60], y[:60])
    np.testing.assert_allclose(fit.holdout_losses, losses, rtol=1e-12)
    best = int(np.argmin(losses))
    assert len(losses) == best + 4 < 12  # three passes without a gain
    again = ss.online(X[:60], y[:60], passes=best + 1, **options)
    np.testing.assert_array_equal(fit.coef(), again.coef())
    fit.more(X[:60], y[:60])  # goes on from there


def test_a_share_is_drawn_of_rows_with_weight_and_never_learned():
    X, y = data()
    w = np.ones(200)
    w[:50] = 0.0
    fit = ss.online(X, y, family="binomial", lam=0.01, weights=w, holdout=0.2, seed=3, step=1.0)
    assert fit.n_rows == 120
    kept, out = split(0.2, 200, w, np.random.default_rng(3))
    assert len(out) == 30 and kept.min() >= 50 and not np.intersect1d(kept, out).size
    same = ss.online(X[kept], y[kept], family="binomial", lam=0.01, step=1.0)
    np.testing.assert_array_equal(fit.coef(), same.coef())
    assert fit.holdout_losses == [mean_loss(same, X[out], y[out])]


def test_of_a_stream_the_rows_are_given_apart(capsys):
    X, y = data()
    blocks = [(X[:50], y[:50]), (X[50:150], y[50:150])]
    fit = ss.online(blocks, family="binomial", lam=0.01, passes=3, holdout=(X[150:], y[150:]),
                    step=0.5, progress=True)  # fmt: skip
    assert len(fit.holdout_losses) == 3
    assert "loss" in capsys.readouterr().err
    with pytest.raises(ValueError, match="rows apart"):
        ss.online(blocks, family="binomial", lam=0.01, holdout=0.5)


@pytest.mark.parametrize("holdout", [0.0, 1.0, 3, (1, 2, 3, 4), "10%"])
def test_what_is_no_holdout(holdout):
    with pytest.raises(ValueError, match="holdout must be"):
        read_holdout(holdout)


def test_a_share_that_leaves_nothing_to_learn():
    with pytest.raises(ValueError, match="more than 1 rows"):
        split(0.5, 1, None, np.random.default_rng(0))


def test_hash_bits_are_of_files_by_name(tmp_path):
    file = tmp_path / "rows.svm"
    file.write_text("1 1:1 1000:2\n0 5:1\n")
    fit = ss.online(file, family="binomial", lam=0.0, step=1.0, hash_bits=4)
    assert fit.n_features == 16
    with pytest.raises(ValueError, match="hash_bits is for files"):
        ss.online(np.eye(2), [0, 1], family="binomial", lam=0.0, hash_bits=4)


def test_progress_tells_rows_and_loss(capsys):
    ss.online(np.eye(5), np.arange(5.0), lam=0.1, step=0.5, passes=2, progress=True)
    told = capsys.readouterr().err
    assert "10" in told and "loss " in told
    ss.online(np.eye(3), np.arange(3.0), lam=0.1, progress=True)
    assert "nan" not in capsys.readouterr().err
