"""Drive the pages of explorers in a headless browser, as a reader would.

python .ci/explorer.py [PICTURES]. Makes pages of a cross-validation with groups, of classes, of
knots and of kernels, and a report; moves the slider, presses the buttons, searches names and
groups, changes the lines, and compares what the page shows with the fit; at the widths of a desk
and a phone, light and dark. Fails where something differs, a script complains or a page is too
wide. PICTURES is a folder for screenshots. Needs Chromium, as pages.py does.
"""

import html
import json
import re
import sys
import tempfile
import threading
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pandas as pd
from pages import Quiet, run

import sparsesolve as ss
from sparsesolve.__main__ import main as main_of_commands
from sparsesolve.penalties import GroupL2

HEIGHT = 1500
DRIVER = """<!doctype html>
<style>body {{ margin: 0 }} iframe {{ border: 0; display: block }}</style>
<iframe id="f" width="{width}" height="{height}"></iframe><pre id="found"></pre><script>
const wait = ms => new Promise(done => setTimeout(done, ms));
async function drive() {{
  const f = document.getElementById("f"), said = [];
  await new Promise(done => {{ f.onload = done; f.src = "/{page}"; }});
  const w = f.contentWindow, d = f.contentDocument, steps = {steps};
  w.onerror = text => said.push(text);
  for (let k = 0; k < 100 && !d.body.dataset.ready; k++) await wait(50);
  const table = () => [...d.querySelectorAll("#rows tr")].map(tr =>
    [...tr.children].map(td => td.textContent));
  const state = () => {{
    const plot = d.getElementById("figure"), dots = plot.data.filter(t => t.meta === "dots");
    const on = dots.filter(t => t.visible !== false);
    return {{rows: table(), said: d.getElementById("said").textContent,
      mark: plot.layout.shapes[0].x0, dots: on.map(t => Array.from(t.y)),
      thick: plot.data.at(-1).x.length, title: plot.layout.yaxis.title.text}};
  }};
  const found = [state()];
  for (const [id, event, value] of steps) {{
    const one = id.startsWith("#") ? d.querySelector(id) : d.getElementById(id);
    if (event === "click") one.click();
    else {{ one.value = value; one.dispatchEvent(new w.Event(event, {{bubbles: true}})); }}
    await wait(300);
    found.push(state());
  }}
  const wide = d.documentElement.scrollWidth - {width};
  const colour = w.getComputedStyle(d.body).backgroundColor;
  const paper = d.querySelector("#figure .main-svg").style.background;
  const more = [...d.querySelectorAll(".drawn")].map(e => e.querySelectorAll(".point").length);
  return {{more, ready: d.body.dataset.ready, errors: said, wide, colour, paper, found}};
}}
const show = found => {{ document.getElementById("found").textContent = JSON.stringify(found); }};
drive().then(show, error => show({{errors: [String(error)]}}));
</script>"""


def fits():
    """Results to explore, by the name of their page."""
    rng = np.random.default_rng(0)
    names = [f"gene {j} <{'ab'[j % 2]}>" for j in range(120)]
    X = pd.DataFrame(rng.normal(size=(90, 120)), columns=names)
    kind = np.where(X.iloc[:, 0] - X.iloc[:, 31] + rng.normal(size=90) > 0, "sick", "well")
    groups = GroupL2({f"pathway {k}": list(range(20 * k, 20 * k + 20)) for k in range(6)})
    three = np.array(["a", "b", "c"])[rng.integers(0, 3, 90)]
    few, y = X.iloc[:, :6], X.iloc[:, 0] - 2 * X.iloc[:, 1] + 0.3 * rng.normal(size=90)
    kernels = {name: np.outer(x, x) for name, x in few.items()}
    return {
        "groups": ss.cv_path(X, kind, family="binomial", penalty=groups, seed=0),
        "lasso": ss.cv_path(few, y, seed=0),
        "classes": ss.path(X, three, family="multinomial", n_lambdas=30),
        "knots": ss.lars_path(few, y),
        "kernels": ss.mkl_path(kernels, y, n_lambdas=20),
    }


def report(site):
    """Write a report of a model that the command saved, on rows held out; return the model."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.normal(size=(120, 5)), columns=[f"a long name {j}" for j in range(5)])
    table["state"] = np.where(table.iloc[:, 0] + rng.logistic(size=120) > 0, "sick", "well")
    table[:80].to_csv(site / "train.csv", index=False)
    table[80:].to_csv(site / "test.csv", index=False)
    words = ["--response", "state"]
    main_of_commands(["cv", f"{site}/train.csv", *words, "--family", "binomial", "--seed", "0",
                      "--save", f"{site}/m.npz", "--quiet"])  # fmt: skip
    main_of_commands(["report", f"{site}/m.npz", "--data", f"{site}/test.csv", *words, "-o",
                      f"{site}/report.html"])  # fmt: skip
    return ss.load(site / "m.npz")


def drive(port, page, steps, width, dark, picture=None):
    """What the page showed at first and after each step."""
    Quiet.frames["/drive"] = DRIVER.format(width=width, height=HEIGHT, page=page,
                                           steps=json.dumps(steps))  # fmt: skip
    options = [
        f"--blink-settings=preferredColorScheme={0 if dark else 1}",
        f"--window-size={max(width, 500)},{HEIGHT}",
        "--virtual-time-budget=60000",
    ]
    address = f"http://127.0.0.1:{port}/drive"
    if picture is not None:
        run(address, f"--screenshot={picture}", *options)
    text = re.search(r'<pre id="found">(.*?)</pre>', run(address, "--dump-dom", *options), re.S)
    if not text or not text[1]:
        return {"errors": ["the browser did not get through"]}
    return json.loads(html.unescape(text[1]))


def expected(fit, k):
    """Names and values of the table at the lambda of place k, the largest first."""
    path = getattr(fit, "path", fit)
    view = path._views()[0]
    column = view.rows[:, [k]].toarray()[:, 0]
    order = [j for j in np.argsort(-np.abs(column), kind="stable") if column[j] != 0.0]
    names = [str(j if view.names is None else view.names[j]) for j in order]
    return names, column[order]


def compare(name, fit, found, k, what):
    """Return sentences on what a state shows that the fit does not say."""
    path, (names, values) = getattr(fit, "path", fit), expected(fit, k)
    shown = [row[1] for row in found["rows"]], [float(row[-1]) for row in found["rows"]]
    wrong = []
    if shown[0] != names or not np.allclose(shown[1], values, rtol=1e-5):
        wrong.append(f"{name}, {what}: the table shows {shown[0][:3]}, not {names[:3]}")
    if not np.isclose(found["mark"], path.lambdas[k]):
        wrong.append(f"{name}, {what}: the mark is at {found['mark']}, not {path.lambdas[k]}")
    dots = found["dots"][0]
    if len(dots) != len(values[:40]) or not np.allclose(dots, values[:40]):
        wrong.append(f"{name}, {what}: {len(dots)} dots are not on the lines")
    if hasattr(fit, "mean") and not np.isclose(found["dots"][1][0], fit.mean[k]):
        wrong.append(f"{name}, {what}: the dot of the curve is not at {fit.mean[k]}")
    if np.isfinite(path.gaps[k]) and not np.isclose(
        found["dots"][-1][0], max(path.gaps[k], 1e-17)
    ):
        wrong.append(f"{name}, {what}: the dot of the gaps is not at {path.gaps[k]}")
    return wrong


def look(port, name, fit, width, dark, folder):
    """Return what is wrong with one page at one width."""
    path, where = getattr(fit, "path", fit), f"{name} at {width} px, {'dark' if dark else 'light'}"
    places = [0, len(path.lambdas) // 2, len(path.lambdas) - 1]
    steps = [["slider", "input", k] for k in places]
    word = expected(fit, places[2])[0][0]
    steps.append(["find", "input", word.upper()])
    steps.append(["find", "input", ""])
    if name == "groups":
        steps += [["#marks button", "click", ""], ["find", "input", "pathway 1"],
                  ["find", "input", ""], ["view", "change", 1]]  # fmt: skip
    picture = None if folder is None else folder / f"{name}-{width}{'-dark' * dark}.png"
    seen = drive(port, f"{name}.html", steps, width, dark, picture)
    if seen["errors"] or not seen["ready"]:
        return [f"{where}: {seen['errors'] or 'never ready'}"]
    found, wrong = seen["found"], []
    first = getattr(fit, "index_1se", places[2])
    for k, state, what in [
        (first, found[0], "at first"),
        *((k, found[1 + i], f"slider at {k}") for i, k in enumerate(places)),
        (places[2], found[5], "after search"),
    ]:
        wrong += compare(where, fit, state, k, what)
    if [row[1] for row in found[4]["rows"]] != [word] or not found[4]["thick"]:
        wrong.append(f"{where}: {word} was not found")
    if name == "report" and (len(seen["more"]) != 1 or seen["more"][0] < 5):
        wrong.append(f"{where}: calibration has dots {seen['more']}")
    if name == "groups":
        wrong += compare(where, fit, found[6], fit.index_min, "button min")
        if {row[2] for row in found[7]["rows"]} != {"pathway 1"} or len(found[7]["rows"]) != 20:
            wrong.append(f"{where}: pathway 1 does not show its 20 genes")
        norms = fit.path.groups.norms(fit.path.coefs)[:, [fit.index_min]].toarray().ravel()
        shown = sorted(float(row[-1]) for row in found[9]["rows"])
        if not np.allclose(shown, np.sort(norms[norms > 0.0]), rtol=1e-5):
            wrong.append(f"{where}: norms of groups differ")
        if found[9]["title"] != "Norm of the group":
            wrong.append(f"{where}: the axis says {found[9]['title']}")
    if seen["wide"] > 0:
        wrong.append(f"{where}: too wide by {seen['wide']} pixels")
    if (sum(map(int, re.findall(r"\d+", seen["colour"])[:3])) < 200) != dark:
        wrong.append(f"{where}: the page is {seen['colour']}")
    if (sum(map(int, re.findall(r"\d+", seen["paper"])[:3])) < 200) != dark:
        wrong.append(f"{where}: the figure is {seen['paper']}")
    return wrong


def main(folder=None):
    """Look at all pages; returns what is wrong, as sentences."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as site:
        made = fits()
        for name, fit in made.items():
            fit.explore(Path(site) / f"{name}.html")
        made["report"] = report(Path(site))
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port, wrong = server.server_address[1], []
        for name, fit in made.items():
            for width, dark in ((1280, False), (400, True)):
                wrong += look(port, name, fit, width, dark, folder)
    print(f"{len(made)} pages at 1280 px in light and 400 px in dark", *wrong, sep="\n")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main(*map(Path, sys.argv[1:2]))))
