"""How the documentation is built: python -m sphinx -W docs docs/_build, whose index.html opens it.

Pages lie in the folder of this file, the gallery in examples/, the reference in docstrings. The
site needs no network, neither to be built nor to be read: MathJax is copied from a package of the
docs extra, and links into other packages' documentation come from links.txt. With
SPARSESOLVE_DOCS_ONLINE=1 their whole inventories are fetched instead.
"""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from numpydoc.xref import DEFAULT_LINKS

import sparsesolve

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from inventory import mapping  # noqa: E402
from names import listed  # noqa: E402

project = "sparsesolve"
author = copyright = "the sparsesolve developers"
release = version = sparsesolve.__version__

extensions = [
    "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.intersphinx", "sphinx.ext.mathjax",
    "sphinx.ext.viewcode", "myst_parser", "numpydoc", "sphinx_copybutton",
    "sphinx_gallery.gen_gallery", "names",
]  # fmt: skip
exclude_patterns = ["_build", "gallery/**/GALLERY_HEADER.rst"]
templates_path = ["_templates"]
nitpicky = True  # a name in a docstring that leads nowhere is a mistake
highlight_language = "none"  # formulas are no Python; examples are told by their prompts
default_role = "literal"  # `name` in a docstring is code

autosummary_generate = True
autodoc_typehints = "none"  # docstrings say more
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
numpydoc_show_class_members = False  # the template lists them
numpydoc_class_members_toctree = False
DEFAULT_LINKS.clear()  # those of int and None tell nobody anything
numpydoc_xref_param_type = True  # types of parameters are links, where they are ours
numpydoc_xref_ignore = "all"
numpydoc_xref_aliases = {
    **{name: full for name, full in listed(HERE / "reference.rst").items() if "." not in name},
    "ndarray": "numpy.ndarray", "Generator": "numpy.random.Generator",
    "DataFrame": "pandas.DataFrame",
}  # fmt: skip

intersphinx_mapping = mapping(HERE / "links.txt", bool(os.environ.get("SPARSESOLVE_DOCS_ONLINE")))
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "",  # every file runs
    "subsection_order": [
        f"../examples/{topic}"
        for topic in ("fit", "choose", "structure", "data", "kernels", "sequences", "dictionaries")
    ],
    "within_subsection_order": "ExampleTitleSortKey",
    "backreferences_dir": "api/backlinks",  # "examples that use this", on the page of each name
    "doc_module": ("sparsesolve",),
    "abort_on_example_error": True,
    "write_computation_times": False,
    "download_all_examples": False,
    "show_signature": False,
    "copyfile_regex": "",
    "thumbnail_size": (640, 448),
}

html_theme = "furo"
html_title = f"sparsesolve {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = True
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5cad", "color-brand-content": "#0b5cad"},
    "dark_css_variables": {"color-brand-primary": "#7db7f0", "color-brand-content": "#7db7f0"},
    "navigation_with_keys": True,
}

MATHJAX = Path(find_spec("sphinx-mathjax-offline").submodule_search_locations[0], "static/mathjax")
mathjax_path = "mathjax/tex-chtml.js"
mathjax3_config = {"chtml": {"displayAlign": "left", "displayIndent": "1.5em"},
                   "options": {"enableMenu": False}}  # fmt: skip


def copy_mathjax(app, error):
    """Put the parts of MathJax that the pages load into the site."""
    from sphinx.util.fileutil import copy_asset

    if error is None and app.builder.format == "html":
        for part in ("tex-chtml.js", "output/chtml/fonts/woff-v2"):
            target = Path(app.outdir, "_static", "mathjax", part)
            copy_asset(MATHJAX / part, target if target.suffix == "" else target.parent)


def setup(app):
    app.connect("build-finished", copy_mathjax)
