"""Blocks: what a path of data in blocks of rows costs, and a pass in tasks and bytes.

    python benchmarks/paths/blocks.py memory                # 20,000 x 200 against memory
    python benchmarks/paths/blocks.py rows 100000 1000000   # 100 columns of float32
    python benchmarks/paths/blocks.py tasks 100             # of a pass, by simulated workers
    python benchmarks/paths/blocks.py draw blocks.json --picture docs/_static/blocks.png

Logistic paths of 100 lambdas on a LocalCluster of processes with one thread each. X is drawn on
the workers, a seed a block, and either persisted there or drawn again in every pass. "Reading" is
the time of as many passes that only sum the blocks; "multiplying" that of as many that multiply
them by 24 vectors, the points of a dozen lambdas, and back. Processor seconds are those of all
workers and of the client: other work on the machine does not count as it does by the clock.
"""

import argparse
import json
import os
import time
from pathlib import Path

import numpy as np

import sparsesolve as ss

COLUMNS, BLOCK = 100, 50_000
LAMBDAS = {"family": "binomial", "n_lambdas": 100, "stop": None}


def drawn(rows, columns=COLUMNS, block=BLOCK, dtype=np.float32):
    """X in blocks of rows, each drawn from a seed of its own where it is needed, and y."""
    import dask.array as da

    block = min(block, -(-rows // 4))
    X = da.random.default_rng(0).standard_normal((rows, columns), dtype=dtype,
                                                 chunks=(block, columns))  # fmt: skip
    noise = np.random.default_rng(1).logistic(size=rows)
    eta = X[:, :10] @ np.linspace(-0.5, 0.5, 10, dtype=dtype)
    return X, (eta.compute() + noise) > 0


class Clock:
    """Seconds by the wall clock and of the processor, of the client and its workers."""

    def __init__(self, client):
        self.client = client
        self.begun = time.perf_counter(), self.processor()

    def processor(self):
        workers = [] if self.client is None else self.client.run(time.process_time).values()
        return time.process_time() + sum(workers)

    def taken(self):
        """Return (wall, processor) seconds since the clock was made."""
        wall = time.perf_counter()
        return wall - self.begun[0], self.processor() - self.begun[1]


def cluster(workers):
    from distributed import Client, LocalCluster

    threads = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    os.environ.update(threads)
    return Client(LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None))


class Passes:
    """Counts the calls that visit all blocks."""

    def __enter__(self):
        from sparsesolve.data import row_blocks

        self.kind, self.call, self.count = row_blocks._Dask, row_blocks._Dask.__call__, 0

        def counted(gather, *rest):
            self.count += 1
            return self.call(gather, *rest)

        self.kind.__call__ = counted
        return self

    def __exit__(self, *error):
        self.kind.__call__ = self.call


def visited(X, client, multiplied):
    """Seconds (wall, processor) of a visit of all blocks: to sum them, or to multiply them."""
    B, visit = np.ones((X.shape[1], 24), X.dtype), _multiplied if multiplied else _summed
    clock = Clock(client)
    X.map_blocks(visit, B, chunks=(1, 1), dtype=float).sum().compute()
    return clock.taken()


def _summed(block, B):
    return np.full((1, 1), block.sum(dtype=float))


def _multiplied(block, B):
    return np.full((1, 1), (block.T @ (block @ B)).sum(dtype=float))


def measured(X, y, client):
    """A path of 100 lambdas, and as many visits of the blocks as it makes."""
    with Passes() as passes:
        clock = Clock(client)
        fit = ss.path(X, y, **LAMBDAS)
        wall, processor = clock.taken()
    read, products = (visited(X, client, multiplied) for multiplied in (False, True))
    return {
        "rows": X.shape[0], "columns": X.shape[1], "passes": passes.count, "wall": wall,
        "processor": processor, "lambdas": len(fit.lambdas), "gap": float(fit.gaps.max()),
        "read": [passes.count * seconds for seconds in read],
        "multiplied": [passes.count * seconds for seconds in products], "load": os.getloadavg()[0],
    }  # fmt: skip


def told(cell):
    times = [cell["processor"] / cell[name][1] for name in ("read", "multiplied")]
    print(f"{cell['rows']:,} x {cell['columns']}, {cell['workers']} workers, {cell['stored']}: "
          f"{cell['lambdas']} lambdas, gap {cell['gap']:.0e}, {cell['passes']} passes, "
          f"{cell['wall']:.1f} s, processor {cell['processor']:.1f} s, {times[0]:.2f} times "
          f"reading and {times[1]:.2f} times multiplying as often; load {cell['load']:.0f}",
          flush=True)  # fmt: skip
    return cell


def by_rows(counts, workers, stored):
    """Paths of more and more rows, on one worker and on two, persisted or drawn in every pass."""
    cells = []
    for many in workers:
        with cluster(many) as client, client.cluster:
            for rows in counts:
                X, y = drawn(rows)
                for how in stored:
                    Z = X.persist() if how == "persisted" else X
                    cells.append(told({"workers": many, "stored": how, **measured(Z, y, client)}))
                    del Z
    return cells


def against_memory(rows=20_000, columns=200):
    """A path of the same data on one worker, on two, and in memory."""
    cells, X, y = [], *drawn(rows, columns, 2_500, np.float64)
    Z = np.asfortranarray(X.compute())
    for many in (1, 2):
        with cluster(many) as client, client.cluster:
            blocks = X.persist()
            ss.path(blocks, y, **{**LAMBDAS, "n_lambdas": 2})
            cells.append(told({"workers": many, "stored": "persisted",
                               **measured(blocks, y, client)}))  # fmt: skip
    clock = Clock(None)
    ss.path(Z, y, **LAMBDAS)
    wall, processor = clock.taken()
    print(f"in memory {wall:.2f} s, processor {processor:.2f} s: "
          + ", ".join(f"{cell['workers']} workers {cell['wall'] / wall:.1f} times, processor "
                      f"{cell['processor'] / processor:.1f}" for cell in cells))  # fmt: skip
    return [*cells, {"workers": 0, "rows": rows, "wall": wall, "processor": processor}]


class Held:
    """What a simulated worker holds: it is named in a message, and does not travel with it."""

    def __init__(self, value=None):
        self.value = value

    def __reduce__(self):
        return Held, ()


def opened(value):
    """Arguments with what workers hold in place of its names."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(map(opened, value))
    return value.value if isinstance(value, Held) else value


def size(value):
    import cloudpickle

    return len(cloudpickle.dumps(value))


class Simulated:
    """The client of simulated workers: tasks run here; they and pickled bytes are counted."""

    def __init__(self):
        self.counts = []  # (tasks, bytes that go out, bytes that come back) of each pass
        self.tasks = self.sent = 0

    def submit(self, function, *arguments, workers=None, allow_other_workers=True, pure=False):
        self.tasks, self.sent = self.tasks + 1, self.sent + size((function, arguments))
        return Held(function(*opened(arguments)))

    def gather(self, held):
        values = [one.value for one in held]
        self.counts.append((self.tasks, self.sent, sum(map(size, values))))
        self.tasks = self.sent = 0
        return values

    def get(self, graph, keys, **options):
        """A scheduler of dask that counts the tasks of a graph."""
        import dask

        graph = graph.optimize().__dask_graph__() if hasattr(graph, "optimize") else graph
        values = dask.get(graph, keys, **options)
        self.counts.append((len(graph), size(graph), size(values)))
        return values


def tasks(workers, rows=200):
    """Tasks and bytes of a pass over a block for each worker, persisted there or read again."""
    import dask

    from sparsesolve.data import read_design

    X, y = drawn(workers * rows, block=rows)
    kept, lazy = Simulated(), Simulated()
    design = read_design(X, in_blocks=True)[0]
    gather = design.gather
    gather.futures = [Held(block) for block in dask.compute(*gather.blocks, scheduler="sync")]
    gather.client, gather.places = kept, {f"worker {k}": [k] for k in range(workers)}
    fit = ss.path(design, y, **LAMBDAS)
    with dask.config.set(scheduler=lazy.get):
        ss.path(X, y, **LAMBDAS)
    print(f"{workers} workers, a block of {rows} x {COLUMNS} each, {len(fit.lambdas)} lambdas")
    for name, counts in (("persisted", kept.counts), ("read again", lazy.counts)):
        visits, sent, back = np.array(counts).T
        print(f"{name}: {len(counts)} passes, {np.median(visits):.0f} tasks a pass, to a worker "
              f"{sent.mean() / workers:,.0f} bytes and back {back.mean() / workers:,.0f}, MB a "
              f"pass {(sent + back).mean() / 1e6:.1f}, in all {(sent + back).sum() / 1e6:.0f}")


def draw(cells, file):
    """Draw seconds against rows, of the processor and by the clock."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.8), dpi=100, layout="constrained")
    axes = figure.subplots(1, 2)
    kinds = sorted({(cell["stored"] != "persisted", cell["workers"]) for cell in cells})
    for k, (again, workers) in enumerate(kinds):
        stored = "drawn again" if again else "persisted"
        own = [cell for cell in cells if (cell["stored"], cell["workers"]) == (stored, workers)]
        rows = [cell["rows"] for cell in own]
        label = f"{workers} worker{'s' * (workers > 1)}, {stored}"
        for ax, name, at in zip(axes, ("processor", "wall"), (1, 0), strict=True):
            ax.loglog(rows, [cell[name] for cell in own], "o-", color=f"C{k}", label=label)
            ax.loglog(rows, [cell["multiplied"][at] for cell in own], ":", color=f"C{k}")
    titles = "processor seconds, all workers", "seconds by the clock"
    for ax, title in zip(axes, titles, strict=True):
        ax.set(xlabel=f"rows, {COLUMNS} columns", title=title)
        rows = sorted({cell["rows"] for cell in cells})
        ax.set_xticks(rows, [f"{count:,}" for count in rows])
        ax.set_xticks([], minor=True)
        ax.yaxis.set_major_formatter("{x:g}")
        ax.yaxis.set_minor_formatter("")
    axes[0].plot([], [], "k:", label="multiplying as often")
    axes[0].legend(fontsize=8)
    figure.savefig(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("memory", "rows", "tasks", "draw"))
    parser.add_argument("arguments", nargs="*")
    parser.add_argument("--workers", nargs="*", type=int, default=[1, 2])
    parser.add_argument("--stored", nargs="*", default=["persisted", "drawn again"])
    parser.add_argument("--out", default="blocks.json")
    parser.add_argument("--picture", default="blocks.png")
    asked = parser.parse_args()
    if asked.what == "tasks":
        tasks(int((asked.arguments or [100])[0]))
    elif asked.what == "draw":
        cells = [cell for file in asked.arguments for cell in json.loads(Path(file).read_text())]
        draw(cells, asked.picture)
    else:
        counts = [int(float(rows)) for rows in asked.arguments] or [100_000, 300_000, 1_000_000]
        found = against_memory() if asked.what == "memory" else by_rows(
            counts, asked.workers, asked.stored)  # fmt: skip
        Path(asked.out).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
