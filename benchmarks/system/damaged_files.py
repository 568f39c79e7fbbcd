"""Is any damaged model file believed? damaged_files.py [FIRST] [COUNT].

Small models of every kind are saved, and COUNT damaged copies are read, the kinds in turn: bits
flipped, bytes cut off or added, members dropped, doubled, renamed, exchanged, replaced by bytes,
or written with other values, types, shapes and declared sizes; values of JSON changed. Each ends
in one sentence, or in a model that answers. What does not is counted and printed with its seed:

    raw       another error, or a sentence without the name of the file, on reading
    useless   a model that was read fails when it is used, other than by a sentence
    other     bits alone were flipped, and the model that was read answers otherwise
    gigabyte  memory beyond the limit of the process
    killed    the process ended by a signal

    python benchmarks/system/damaged_files.py 0 100000
"""

import collections
import functools
import io
import json
import os
import resource
import tempfile
import time
import warnings
import zipfile

import fuzz
import numpy as np

import sparsesolve as ss
from sparsesolve import structured

LIMIT = 500 << 20  # bytes that a process may take beyond those it starts with
CHUNK = 1000  # files read by one process
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else tempfile.gettempdir()
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4))
Y = X[:, 0] - X[:, 1] + RNG.normal(size=40)
TABLE = {"a": Y, "b": ["u", "v", "w", "v"] * 10}
WORDS = "1 dogs N 2\n2 bark V 0\n\n1 loud A 2\n2 cats N 3\n3 meow V 0\n"


def sentences():
    """A small table of sentences with heads."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as stream:
        stream.write(WORDS)
        stream.flush()
        return structured.read_sentences(stream.name, ["id", "form", "tag", "head"])


def tagger(read):
    """A path of chains with the templates of the command `tag`."""
    templates = structured.Templates(["form", "form[-1].lower & form.suffix1", "form.first"])
    Z = templates.fit_transform(read.columns, read.lengths)
    fit = structured.max_margin(Z, read.columns["tag"], lengths=read.lengths, epochs=2)
    more = {"templates": templates.state(), "column": "tag", "names": ["id", "form", "tag"]}
    return fit.__class__(**{**vars(fit), "status": np.zeros(1, int), "tagger": more})


def flat(fit):
    """What a path is asked."""
    return [fit.predict(X), fit.coef(0.1), np.frombuffer(str(fit).encode(), "u1")]


def online(fit):
    """What an online fit is asked."""
    return [fit.predict(X), fit.coef(), fit.losses]


def models():
    """Return what is saved, and how it is used, by name."""
    read, three = sentences(), RNG.integers(3, size=40)
    grams = ss.mkl.build_grams(X, [(ss.mkl.gaussian(1.0), None), (ss.mkl.polynomial(2), [0, 1])])
    chains = ss.crf_path(X, three, lengths=[20, 20], n_lambdas=3, groups=list("aabb"),
                         allowed=np.ones((3, 3), bool))  # fmt: skip
    parser = {"templates": ["h.tag+m.tag+direction", "m.form"], "epochs": 2}
    return {
        "path": (ss.path(X, Y, n_lambdas=5), flat),
        "several": (ss.path(X, three, family="multinomial", n_lambdas=4), flat),
        "cox": (ss.path(X, (np.exp(Y), Y > -1), family="cox", n_lambdas=4), flat),
        "huber": (ss.path(X, Y, family=ss.families.huber(1.5), n_lambdas=4,
                          penalty=ss.penalties.GroupL2(list("aabb"))), flat),
        "encoded": (ss.path(ss.make_design(TABLE), Y, n_lambdas=4),
                    lambda fit: [fit.predict(TABLE), fit.coef(0.1)]),
        "knots": (ss.lars_path(X, Y), flat),
        "cv": (ss.cv_path(X, Y > 0, family="binomial", n_folds=3, seed=0, n_lambdas=5),
               lambda fit: [fit.predict(X, kind="class"), fit.coef(), fit.mean]),
        "kernels": (ss.mkl_path({"a": X @ X.T, "b": np.eye(40)}, Y, n_lambdas=4),
                    lambda fit: [fit.predict([X @ X.T, np.eye(40)])]),
        "rows of kernels": (ss.mkl_path(grams, Y, n_lambdas=4), lambda fit: [fit.predict(X)]),
        "design": (ss.make_design(TABLE), lambda fit: [fit.encode(TABLE).matrix]),
        "online": (ss.online(X, Y, lam=0.1), online),
        "ftrl": (ss.online(X, three, lam=0.1, family="multinomial", step=0.1, passes=2), online),
        "fobos": (ss.online(X, Y, lam=0.1, method="fobos", step=0.1, batch=7,
                            penalty_factor=[0, 1, 1, 2]), online),
        "svrg": (ss.online(X, Y, lam=0.1, method="svrg", step=0.1, passes=2), online),
        "short": (ss.online(X, Y > 0, lam=0.1, family="binomial", dtype="float32", step=0.1),
                  online),
        "chains": (chains, lambda fit: [fit.predict(X), fit.marginals(X), fit.coef()]),
        "tagger": (tagger(read), lambda fit: [fit.tag(read) == "N"]),
        "hashed parser": (structured.parse_trees(read, bits=8, **parser),
                          lambda fit: [fit.predict(read)]),
        "exact parser": (structured.parse_trees(read, bits=None, method="spom", **parser),
                         lambda fit: [fit.predict(read)]),
        "spom": (ss.spom(X, three, lengths=[20, 20], groups=list("aabb"), epochs=2),
                 lambda fit: [fit.predict(X), fit.kernel_weights]),
        "spom of blocks": (ss.spom({"a": X @ X.T, "b": np.eye(40)}, three, epochs=2),
                           lambda fit: [fit.predict({"a": X @ X.T, "b": np.eye(40)})]),
    }  # fmt: skip


# Damage of bytes.


def flipped(rng, data):
    """One to four bits are others."""
    out = bytearray(data)
    for _ in range(rng.integers(1, 5)):
        out[rng.integers(len(out))] ^= 1 << rng.integers(8)
    return bytes(out)


def cut_or_longer(rng, data):
    """Bytes are missing, come twice, or are new."""
    a, b = sorted(rng.integers(len(data), size=2).tolist())
    junk = rng.bytes(int(rng.integers(1, 200)))
    return [data[:a], data[a:], data[:a] + data[b:], data[:b] + data[a:], data + junk,
            data[:a] + junk + data[a:]][rng.integers(6)]  # fmt: skip


# Damage of members.


@functools.cache
def members_of(data):
    """Return the members of an archive as bytes by name."""
    with zipfile.ZipFile(io.BytesIO(data)) as found:
        return {name: found.read(name) for name in found.namelist()}


def archive(members):
    """Return an archive of (name, bytes)."""
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, True,
                                                    1) as out:  # fmt: skip
        warnings.simplefilter("ignore")  # names that occur twice
        for name, data in members:
            out.writestr(name, data)
    return stream.getvalue()


def as_bytes(array):
    """Return an array as the bytes of .npy."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def other_members(rng, members, others):
    """Members are dropped, doubled, renamed, exchanged, or those of another model."""
    names = list(members)
    a, b = (names[k] for k in rng.integers(len(names), size=2))
    way, out = rng.integers(6), dict(members)
    if way == 0:
        del out[a]
    elif way == 1:
        return [*members.items(), (a, members[b])]
    elif way == 2:
        out[a[: rng.integers(len(a))] + "x" + a[rng.integers(len(a)) :]] = out.pop(a)
    elif way == 3:
        out[a], out[b] = out[b], out[a]
    elif way == 4:
        out[a] = others[a] if a in others else others[list(others)[0]]
    else:
        out[a] = rng.bytes(int(rng.integers(300))) if rng.random() < 0.5 else flipped(rng, out[a])
    return list(out.items())


def declared(rng, data):
    """The header declares another shape, type or order than the bytes have."""
    head = data[: data.index(b"\n") + 1]
    shape = [b"(%d,)" % 10 ** rng.integers(1, 19), b"(0,)", b"(-1,)", b"(1, 1)", b"()",
             b"(3, %d)" % 10 ** rng.integers(1, 19), b"(2"][rng.integers(7)]  # fmt: skip
    kind = [b"<f8", b"<f4", b"<i8", b">f8", b"|b1", b"<U3", b"<u8", b"|O", b"<c16", b"<U999999999",
            b"f16", b"<M8[s]"][rng.integers(12)]  # fmt: skip
    a, b = head.index(b"'descr': '") + 10, head.index(b"', 'fortran")
    if rng.random() < 0.5:
        head = head[:a] + kind + head[b:]
    else:
        a, b = head.index(b"'shape': ") + 9, head.rindex(b", }")
        head = head[:a] + shape + head[b:]
    size = int.from_bytes(data[8:10], "little") + (len(head) - data.index(b"\n") - 1)
    return head[:8] + size.to_bytes(2, "little") + head[10:] + data[data.index(b"\n") + 1 :]


def of_another_make(rng, array):
    """Another array: its values, type, shape or number of entries are others."""
    values = [np.nan, np.inf, -1, 0, 1, 2, 7, -(2**31), 2**31, 2**63 - 1, 1e300, 1e-320, 255]
    ways = [
        lambda a: a[: len(a) // 2], lambda a: np.concatenate([a, a]), lambda a: a[::-1],
        lambda a: np.array([a, a]), lambda a: a[None], lambda a: a.ravel()[:1],
        lambda a: a.T, lambda a: np.asfortranarray(a), lambda a: np.empty((0, *a.shape[1:])),
        lambda a: a.astype(rng.choice(["f8", "f4", "f2", "i8", "i4", "u8", "i1", "?", ">f8", "U5",
                                       "S5", "O", "c16"])),
        lambda a: np.zeros(a.shape, a.dtype),
        lambda a: rng.permutation(a.ravel()).reshape(a.shape),
        lambda a: np.array(rng.choice(["", "zzz", "[1]", "{}", "null"])),
        lambda a: np.full(a.shape, rng.choice(values)), lambda a: np.array(rng.choice(values)),
        lambda a: one_changed(rng, a, values), lambda a: one_changed(rng, a, values),
        lambda a: a.reshape(-1, 2), lambda a: a.view("u1"),
    ]  # fmt: skip
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ways[rng.integers(len(ways))](array)


def one_changed(rng, array, values):
    """One entry is another."""
    out = array.copy()
    value = values[rng.integers(len(values))]
    out.flat[rng.integers(out.size)] = value if out.dtype.kind != "U" else str(value)
    return out


def changed_json(rng, value):
    """One value somewhere in JSON is another, missing or new."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        name = list(value)[rng.integers(len(value))]
        if rng.random() < 0.1:
            return {key: one for key, one in value.items() if key != name}
        return {**value, name: changed_json(rng, value[name])}
    if isinstance(value, list) and value and rng.random() < 0.8:
        k = int(rng.integers(len(value)))
        new = [[], [changed_json(rng, value[k])], [value[k], value[k]]][rng.integers(3)]
        return [*value[:k], *new, *value[k + 1 :]]
    news = [None, True, False, 0, 1, -1, 3, 10**6, 10**9, 10**18, 10**30, 1.5, float("nan"),
            -0.1, float("inf"), "", "x", "float32", "rda", "sqrt", [], {}, [1], ["a"],
            {"a": 1}, "1" * 50]
    return news[rng.integers(len(news))]


def other_values(rng, members, others):
    """One member is an array of another make, or JSON with a value changed."""
    out = dict(members)
    name = list(out)[rng.integers(len(out))]
    if rng.random() < 0.25:
        out[name] = declared(rng, out[name])
        return list(out.items())
    array = np.load(io.BytesIO(out[name]))
    text = str(array) if array.dtype.kind == "U" and not array.ndim else ""
    if text[:1] in "[{" and text and rng.random() < 0.9:
        array = np.array(json.dumps(changed_json(rng, json.loads(text))))
    else:
        array = of_another_make(rng, array)
    out[name] = as_bytes(array)
    return list(out.items())


def damaged(rng, name, whole):
    """Return damaged bytes of a model, and whether bits alone were flipped."""
    data = whole[name]
    way = rng.integers(10)
    if way < 2:
        return flipped(rng, data), True
    if way == 2:
        return cut_or_longer(rng, data), False
    other = members_of(whole[list(whole)[rng.integers(len(whole))]])
    change = other_members if way < 5 else other_values
    while True:
        try:
            members = change(rng, members_of(data), other)
        except (TypeError, ValueError, IndexError, OverflowError):
            continue  # this array cannot be changed that way
        return archive(members), False


def used(answers):
    """Return answers as arrays that can be compared."""
    return [np.asarray(a.toarray() if hasattr(a, "toarray") else a) for a in answers]


def outcome(file, kind, use, right, alone):
    """Read a file, use what was read, and return what happened."""
    try:
        back = ss.load(file)
    except ValueError as error:
        words = str(error)
        return "refused" if file in words and "\n" not in words else f"raw: {error!r}"
    except MemoryError as error:
        return f"gigabyte: {error!r}"
    except Exception as error:
        return f"raw: {error!r}"
    if type(back) is not kind:
        return "useless: of another kind" if alone else "answered"  # a fit without its curve, say
    try:
        found = used(use(back))
    except (ValueError, TypeError) as error:  # the model has other columns, say
        first = str(error)
        return "answered" if " " in first and not alone else f"useless: {error!r}"
    except MemoryError as error:
        return f"gigabyte: {error!r}"
    except Exception as error:
        return f"useless: {error!r}"
    same = all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in
               zip(found, right, strict=True))  # fmt: skip
    return "answered" if same or not alone else "other: other answers"


def chunk(seeds, whole, made, pipe):
    """Read files, and write a line for each."""
    file = os.path.join(MEMORY, f"damaged_{os.getpid()}.npz")
    used_now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used_now + LIMIT,) * 2)
    right = {}
    for name, (_, use) in made.items():
        with open(file, "wb") as stream:
            stream.write(whole[name])
        right[name] = used(use(ss.load(file)))
    names = list(made)
    with os.fdopen(pipe, "w") as out:
        for seed in seeds:
            rng = np.random.default_rng([seed, 17])
            name = names[seed % len(names)]
            out.write(f"{seed}\n")
            out.flush()
            data, alone = damaged(rng, name, whole)
            with open(file, "wb") as stream:
                stream.write(data)
            what = outcome(file, type(made[name][0]), made[name][1], right[name], alone)
            out.write(" ".join(what.split()) + "\n")
    os.unlink(file)


def read_all(first, count, tell=print):
    """Read `count` damaged files, in processes of their own; return the counts by outcome."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    made, whole = models(), {}
    for name, (fit, _) in made.items():
        file = os.path.join(MEMORY, f"damaged_{os.getpid()}.npz")
        ss.save(fit, file, rows=name == "rows of kernels")
        with open(file, "rb") as stream:
            whole[name] = stream.read()
        os.unlink(file)
    total, at, end, names = collections.Counter(), first, first + count, list(made)
    while at < end:
        inward, outward = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(inward)
            chunk(range(at, min(at + CHUNK, end)), whole, made, outward)
            os._exit(0)
        os.close(outward)
        with os.fdopen(inward) as stream:
            lines = stream.read().splitlines()
        status = os.waitpid(child, 0)[1]
        if not lines:
            raise RuntimeError(f"a process ended before its first file, with status {status}")
        found = list(zip(lines[::2], lines[1::2], strict=False))
        if status or len(lines) % 2:
            found.append((lines[-1], f"killed: status {status}"))
        for seed, what in found:
            kind = what.partition(":")[0]
            total[kind] += 1
            if kind not in ("refused", "answered"):
                tell(f"{names[int(seed) % len(names)]}, seed {seed}: {what}", flush=True)
        at = int(found[-1][0]) + 1
    return total


def main(first, count):
    """Print the counts."""
    start = time.time()
    total = read_all(first, count)
    print(f"{count} damaged files of {len(models())} models in {time.time() - start:.0f} s:",
          dict(total))  # fmt: skip


if __name__ == "__main__":
    asked = fuzz.seeds(__doc__, 10_000)
    main(asked.first, asked.count)
