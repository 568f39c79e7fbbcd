"""Chains next to python-crfsuite: training, tagging and certified paths on the user's own files.

    python benchmarks/structured/chains.py --letters ocr_letters.npz [--wapiti PROGRAM]
    python benchmarks/structured/chains.py --train train.conllu --dev dev.conllu

The letters file has pixels (n, p), letters (n,), word_ptr and word_fold; fold 3 trains, the others
test. Both programs fit the same model: crfsuite gets attributes for a bias, the first and the last
position, and all states and transitions, which are our intercepts, start, stop and transitions.
Its features are made before its clock runs. Ours starts from CSR arrays and runs to an objective
that is no more than crfsuite's last. Times are processor time of one thread, the least of
interleaved runs; python-crfsuite is left out with a sentence where it is not installed. Wapiti is
a program that was built from its source; its time includes reading its text file.
"""

import argparse
import os
import subprocess
import tempfile
import time

import numpy as np
from scipy import sparse

import sparsesolve as ss
from sparsesolve import structured
from sparsesolve.linalg.threads import one_blas_thread
from sparsesolve.structured.margin_learner import MaxMargin
from sparsesolve.structured.problem import read_chain_problem

RUNS = 3
TOLERANCES = [3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5]


def clocked(function):
    """Processor seconds, and what the function returns."""
    began = time.process_time()
    found = function()
    return time.process_time() - began, found


def letters(file):
    """X, y, lengths of fold 3, and of the others."""
    z = np.load(file)
    X, y, ptr, fold = z["pixels"], z["letters"], z["word_ptr"], z["word_fold"]
    out = []
    for mask in (fold == 3, fold != 3):
        rows = np.concatenate([np.arange(ptr[i], ptr[i + 1]) for i in np.flatnonzero(mask)])
        out.append((sparse.csr_array(X[rows].astype(float)), y[rows], np.diff(ptr)[mask]))
    return out


def attributes(X, lengths):
    """Attribute lists of crfsuite, with a bias and marks of first and last positions."""
    rows = [[str(j) for j in X.indices[a:b]] + ["bias"]
            for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)]  # fmt: skip
    ends = np.cumsum(lengths)
    words = [rows[b - size : b] for b, size in zip(ends, lengths, strict=True)]
    for word in words:
        word[0].append("first")
        word[-1].append("last")
    return words


class Crfsuite:
    """A trainer on data that it holds already."""

    def __init__(self, words, tags, algorithm, **options):
        import pycrfsuite

        self.trainer = pycrfsuite.Trainer(algorithm=algorithm, verbose=False)
        for word, tag in zip(words, tags, strict=True):
            items = pycrfsuite.ItemSequence([dict.fromkeys(x, 1.0) for x in word])
            self.trainer.append(items, tag)
        self.trainer.set_params(options)
        self.model = os.path.join(tempfile.mkdtemp(), "model")

    def train(self):
        self.trainer.train(self.model)

    def last(self):
        return self.trainer.logparser.last_iteration

    def tagger(self):
        import pycrfsuite

        found = pycrfsuite.Tagger()
        found.open(self.model)
        return found


def split(y, lengths):
    return [[str(k) for k in part] for part in np.split(y, np.cumsum(lengths)[:-1])]


def objective(fit, lam, N, alpha):
    """N times the objective at the only lambda of a path."""
    flat = fit.coefs.toarray()[:, 0]
    loss = (1.0 - fit.dev_ratio[0]) * fit.null_value
    return N * (loss + lam * (alpha * np.abs(flat).sum() + 0.5 * (1 - alpha) * flat @ flat))


def to_equal_objective(data, alpha, lam, theirs):
    """The largest tolerance whose solution is no worse than theirs."""
    X, y, lengths = data
    kind = "l1" if alpha else "ridge"
    for tol in TOLERANCES:
        def fit(tol=tol):
            return ss.crf_path(X, y, lengths=lengths, alpha=alpha, lambdas=[lam], tol=tol,
                               transitions=kind)  # fmt: skip

        found = fit()
        if objective(found, lam, len(lengths), alpha) <= theirs:
            return fit, tol
    return fit, tol


def train_letters(train, test):
    """ℓ2 and ℓ1 to crfsuite's last objective."""
    X, y, lengths = train
    words, tags, N = attributes(X, lengths), split(y, lengths), len(lengths)
    test_words, test_tags = attributes(test[0], test[2]), split(test[1], test[2])
    for name, alpha, lam, options in (("l2", 0.0, 2.0 / N, {"c1": 0.0, "c2": 1.0}),
                                      ("l1", 1.0, 1.0 / N, {"c1": 1.0, "c2": 0.0})):  # fmt: skip
        peer = Crfsuite(words, tags, "lbfgs", **options, **{
            "feature.possible_states": True, "feature.possible_transitions": True})  # fmt: skip
        theirs, ours = [clocked(peer.train)[0]], []
        last = peer.last()
        fit, tol = to_equal_objective(train, alpha, lam, last["loss"])
        for _ in range(RUNS - 1 if name == "l2" else 1):
            theirs.append(clocked(peer.train)[0])
            seconds, found = clocked(fit)
            ours.append(seconds)
        tagger = peer.tagger()
        right = [a == b for word, tag in zip(test_words, test_tags, strict=True)
                 for a, b in zip(tagger.tag(word), tag, strict=True)]  # fmt: skip
        accuracy = found.score(test[0], test[1], test[2])
        print(f"{name}: crfsuite {min(theirs):.2f} s, {last['num']} iterations, objective "
              f"{last['loss']:.2f}, {100 * np.mean(right):.2f} %")  # fmt: skip
        print(f"{name}: sparsesolve {min(ours):.2f} s, {found.n_iters[0]} steps, objective "
              f"{objective(found, lam, N, alpha):.2f}, gap {found.gaps[0]:.1e} (asked {tol:g}), "
              f"{100 * accuracy:.2f} %; {min(theirs) / min(ours):.1f} times as fast")  # fmt: skip
        if name == "l2":
            _per_gradient(train, min(theirs) / last["num"])
            _tagging(found, test, tagger, test_words)


def _per_gradient(train, theirs):
    """One value and gradient of ours, on one thread and two, next to an iteration of theirs."""
    X, y, lengths = train
    wall = []
    for threads in (1, 2):
        problem = read_chain_problem(X, y, lengths, None, None, 0.0, "ridge", True, None, None,
                                     threads)[0]  # fmt: skip
        b, times = np.random.default_rng(0).normal(size=problem.n_coefficients) * 0.1, []
        for k in range(15):
            began = time.perf_counter(), time.process_time()
            eta = problem.scores(b + 1e-6 * k, threads)
            problem.products(problem.loss.at(eta)[1], threads)
            times.append((time.perf_counter() - began[0], time.process_time() - began[1]))
        wall.append(min(t[0] for t in times))
        if threads == 1:
            one = min(t[1] for t in times)
    print(f"gradient: {1e3 * one:.2f} ms, crfsuite {1e3 * theirs:.2f} ms an iteration, "
          f"{theirs / one:.1f} times; wall time on two threads {wall[0] / wall[1]:.2f} times "
          "as fast")  # fmt: skip


def _tagging(fit, test, tagger, words):
    X, _, lengths = test
    ours = min(clocked(lambda: fit.predict(X, lengths))[0] for _ in range(RUNS))
    theirs = min(clocked(lambda: [tagger.tag(word) for word in words])[0] for _ in range(RUNS))
    n = X.shape[0]
    print(f"tagging: {n / ours / 1e3:.0f} k letters/s, crfsuite {n / theirs / 1e3:.0f} k, "
          f"{theirs / ours:.1f} times as fast")  # fmt: skip


def group_path(train, test):
    """Ten lambdas, pixels as groups, gap 1e-3."""
    X, y, lengths = train
    seconds = []
    for _ in range(2):
        took, fit = clocked(lambda: ss.crf_path(
            X, y, lengths=lengths, groups=np.arange(X.shape[1]), transitions="group",
            n_lambdas=10, tol=1e-3))  # fmt: skip
        seconds.append(took)
    scores = [100 * fit.score(test[0], test[1], test[2], s=lam) for lam in fit.lambdas]
    print(f"group path: {min(seconds):.2f} s, {fit.n_iters.sum()} steps, worst gap "
          f"{fit.gaps.max():.1e}; groups {fit.df.tolist()}; accuracy "
          f"{', '.join(f'{score:.1f}' for score in scores)} %")  # fmt: skip


def online(train, dev):
    """Epochs of averaged hinge steps next to the averaged perceptron's, on parts of speech."""
    took, sentences = clocked(lambda: structured.read_sentences(train))
    held = structured.read_sentences(dev)
    templates = structured.Templates()
    made, X = clocked(lambda: templates.fit_transform(sentences.columns, sentences.lengths))
    tags, lengths = sentences.columns["upos"], sentences.lengths
    setup, learner = clocked(lambda: MaxMargin(X, tags, lengths))
    rng = np.random.default_rng(0)
    epochs = [clocked(lambda: learner.averaged_epoch(rng))[0] for _ in range(10)]
    fit = learner.averaged()
    Z = templates.transform(held.columns, held.lengths)
    tagging = min(clocked(lambda: fit.predict(Z, held.lengths))[0] for _ in range(RUNS))
    accuracy = fit.score(Z, held.columns["upos"], held.lengths)
    print(f"tags: reading {took:.2f} s, templates {made:.2f} s, set up {setup:.2f} s, ten epochs "
          f"{sum(epochs):.2f} s, {100 * accuracy:.2f} % of dev, tagging "
          f"{len(held.columns['upos']) / tagging / 1e3:.0f} k words/s")  # fmt: skip
    peer = _crfsuite_or_none()
    if peer is None:
        return
    words = attributes(X, np.array(lengths))
    suite = Crfsuite(words, split(np.array(tags), np.array(lengths)), "ap", max_iterations=10)
    theirs = clocked(suite.train)[0]
    print(f"tags: crfsuite's averaged perceptron {theirs / 10:.2f} s an epoch, ours "
          f"{np.mean(epochs):.2f}: {theirs / sum(epochs):.1f} times as fast")  # fmt: skip


def wapiti(program, train, test):
    """Seconds and accuracy of Wapiti's L-BFGS on the letters, ridge and lasso."""
    folder = tempfile.mkdtemp()
    for name, (X, y, lengths) in (("train", train), ("test", test)):
        with open(f"{folder}/{name}", "w") as out:
            for word, tags in zip(attributes(X, lengths), split(y, lengths), strict=True):
                for i, (row, tag) in enumerate(zip(word, tags, strict=True)):
                    pair = " b" if i else ""
                    out.write(" ".join(f"u{x}" for x in row) + f"{pair} {tag}\n")
                out.write("\n")
    for name, penalties in (("l2", ("0", "1")), ("l1", ("1", "0"))):
        command = [program, "train", "-a", "l-bfgs", "-1", penalties[0], "-2", penalties[1],
                   "-t", "1", f"{folder}/train", f"{folder}/model"]  # fmt: skip
        before = os.times()
        log = subprocess.run(command, capture_output=True, text=True, check=True).stderr
        after = os.times()
        command = [program, "label", "-c", "-m", f"{folder}/model", f"{folder}/test",
                   f"{folder}/out"]  # fmt: skip
        found = subprocess.run(command, capture_output=True, text=True, check=True)
        last = [line for line in log.splitlines() if "obj=" in line][-1]
        error = [line for line in found.stderr.splitlines() if "Token error" in line][-1]
        seconds = after.children_user - before.children_user
        print(f"{name}: Wapiti {seconds:.2f} s, {last.strip()}; {error.strip()}")


def _crfsuite_or_none():
    try:
        import pycrfsuite
    except ImportError:
        print("python-crfsuite is not installed: pip install python-crfsuite")
        return None
    return pycrfsuite


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--letters", help="the npz of letters")
    options.add_argument("--wapiti", help="the program, to compare with")
    options.add_argument("--train", help="CoNLL-U")
    options.add_argument("--dev", help="CoNLL-U")
    args = options.parse_args()
    with one_blas_thread():
        if args.letters:
            train, test = letters(args.letters)
            group_path(train, test)
            if _crfsuite_or_none():
                train_letters(train, test)
            if args.wapiti:
                wapiti(args.wapiti, train, test)
        if args.train and args.dev:
            online(args.train, args.dev)


if __name__ == "__main__":
    main()
