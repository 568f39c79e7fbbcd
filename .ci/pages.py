"""Look at every page of the built site in a headless browser, at the widths of a desk and a phone.

python .ci/pages.py SITE [PICTURES], after `python -m sphinx -W docs SITE`. Fails where a page is
wider than its window, where a formula was not set, or where a page loads something from another
host. With PICTURES, a folder, pictures of the main pages are written there, for somebody to look
at. Needs Chromium (Debian: apt-get install chromium), so it is not a part of .ci/run.
"""

import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

WIDTHS = (1280, 400)
HEIGHT = 2400  # of a picture
LOADED = re.compile(r'<(?:script|img|iframe)[^>]*\ssrc="(?:https?:)?//|'
                    r'<link[^>]*rel="stylesheet"[^>]*href="(?:https?:)?//')  # fmt: skip
SKIPPED = ("_modules/", "genindex", "search", "py-modindex")  # no prose of ours
FRAME = """<!doctype html>
<style>body {{ margin: 0 }} iframe {{ border: 0; display: block }}</style>
<iframe id="f" width="{width}" height="{height}"></iframe><pre id="found"></pre><script>
const wait = ms => new Promise(done => setTimeout(done, ms));
async function look(page) {{
  const f = document.getElementById("f");
  await new Promise(done => {{ f.onload = done; f.src = "/" + page; }});
  const w = f.contentWindow, d = f.contentDocument, math = d.querySelectorAll(".math").length;
  if (math && w.MathJax && w.MathJax.startup) await w.MathJax.startup.promise;
  await wait(30);
  const scrolls = e => ["auto", "scroll"].includes(w.getComputedStyle(e).overflowX);
  const cut = [...d.querySelectorAll("article *")].filter(e => {{
    if (e.getBoundingClientRect().right <= {width} + 1) return false;
    for (let p = e.parentElement; p && p.tagName != "ARTICLE"; p = p.parentElement)
      if (scrolls(p)) return false;
    return !e.closest("mjx-assistive-mml, .visually-hidden, .sr-only");
  }});
  const over = cut.slice(0, 3).map(
    e => e.tagName + "." + e.className + ": " + e.textContent.trim().slice(0, 60));
  const wide = Math.max(d.documentElement.scrollWidth - {width}, cut.length);
  const unset = math - d.querySelectorAll("mjx-container").length;
  const errors = d.querySelectorAll("mjx-merror").length;
  return {{page, wide, over, unset, errors}};
}}
(async () => {{
  const found = [];
  for (const page of {pages}) found.push(await look(page));
  document.getElementById("found").textContent = JSON.stringify(found);
}})();
</script>"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves the site and the frames; keeps no log."""

    frames = {}

    def do_GET(self):
        name = self.path.split("?")[0]
        if name not in self.frames:
            return super().do_GET()
        body = self.frames[name].encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        """Say nothing."""


def browser():
    """The command of a Chromium that is installed."""
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if shutil.which(name):
            return name
    sys.exit("no Chromium was found; install one (Debian: apt-get install chromium)")


def run(address, *options):
    """Open an address without a window; returns the page as it is once scripts are done."""
    with tempfile.TemporaryDirectory() as profile:
        command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                   f"--user-data-dir={profile}", *options, address]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    return done.stdout


def measured(port, pages, width):
    """What the browser found on each page at one width."""
    frame = FRAME.format(width=width, height=HEIGHT, pages=json.dumps(pages))
    Quiet.frames[f"/frame-{width}"] = frame
    address = f"http://127.0.0.1:{port}/frame-{width}"
    page = run(address, "--dump-dom", f"--window-size={width + 200},{HEIGHT}",
               "--virtual-time-budget=3000000")  # fmt: skip
    text = re.search(r'<pre id="found">(.*?)</pre>', page, re.S)[1]
    if not text:
        sys.exit(f"the browser did not get through the pages at {width} px")
    return json.loads(html.unescape(text))


def pictures(port, pages, width, folder):
    """Write a picture of each page."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in pages:
        Quiet.frames["/one"] = FRAME.format(width=width, height=HEIGHT, pages=json.dumps([page]))
        name = page.replace("/", "-").removesuffix(".html")
        run(f"http://127.0.0.1:{port}/one", f"--screenshot={folder / f'{name}-{width}.png'}",
            f"--window-size={max(width, 500)},{HEIGHT}",
            "--virtual-time-budget=20000")  # fmt: skip


def main(site, folder=None):
    """Look at all pages; returns what is wrong, as sentences."""
    names = sorted(p.relative_to(site).as_posix() for p in site.rglob("*.html"))
    names = [name for name in names if not name.startswith(SKIPPED)]
    wrong = [f"{name}: loads from another host" for name in names
             if LOADED.search((site / name).read_text())]  # fmt: skip
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    for width in WIDTHS:
        for found in measured(port, names, width):
            where = f"{found['page']} at {width} px"
            if found["wide"] > 0:
                wrong.append(f"{where}: does not fit, by {found['over']}")
            if found["unset"] > 0 or found["errors"] > 0:
                wrong.append(f"{where}: {found['unset']} formulas not set, "
                             f"{found['errors']} with errors")  # fmt: skip
        if folder is not None:
            main_pages = [name for name in names if "/" not in name]
            main_pages += ["gallery/index.html", "api/sparsesolve.path.html"]
            pictures(port, main_pages, width, folder)
    print(f"{len(names)} pages at {WIDTHS} px", *wrong, sep="\n")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main(*map(Path, sys.argv[1:3]))))
