"""How the documentation is built: python -m sphinx -W docs docs/_build, whose index.html opens it.

Pages stand beside this file, the gallery in examples/, the reference in the docstrings. Formulas
become MathML, which browsers draw by themselves, so that the pages need no network.
"""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

import sparsesolve

project = "sparsesolve"
author = copyright = "the sparsesolve developers"
release = version = sparsesolve.__version__

extensions = [
    "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "sphinx_gallery.gen_gallery",
]  # fmt: skip
exclude_patterns = ["_build", "gallery/GALLERY_HEADER.rst"]
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

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "",  # every file runs
    "within_subsection_order": "ExampleTitleSortKey",
    "abort_on_example_error": True,
    "write_computation_times": False,
    "download_all_examples": False,
    "show_signature": False,
    "copyfile_regex": "",
}

html_theme = "alabaster"
html_title = f"sparsesolve {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = False
html_theme_options = {
    "description": "Certified solution paths of sparse linear models",
    "fixed_sidebar": True,
    "page_width": "1180px",
    "sidebar_width": "230px",
}
html_sidebars = {"**": ["about.html", "searchfield.html", "navigation.html"]}


def visit_math(self, node):
    """Write a formula as MathML."""
    block = isinstance(node, nodes.math_block)
    self.body.append(tex2mathml(node.astext(), as_block=block))
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math, None))
    app.config.html_math_renderer = "mathml"
