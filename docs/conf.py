"""Sphinx: pages in MyST, a gallery of executed examples, numbered equations, references; builds without a network.

Formulas are set by MathJax, which a Python package of the extra ``[docs]`` puts beside the pages: they need no network for
being read either.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "src"))

project = "dalembert"
author = "The dalembert developers"
copyright = "2026, The dalembert developers"
release = re.search(r'__version__ = "(.+?)"', (ROOT / "src/dalembert/__init__.py").read_text(encoding="utf-8"))[1]
version = release

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx-mathjax-offline",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["_build", "_templates", "_static", "images/*.py"]
templates_path = ["_templates"]
default_role = "code"
nitpicky = False
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
math_eqref_format = "({number})"
bibtex_bibfiles = ["seeds.bib"]
bibtex_reference_style = "author_year"

autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_ivar = False
napoleon_use_rtype = False

html_theme = "furo"
html_title = "dalembert"
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["code.css"]
mathjax_options = {"defer": "defer"}


def draw_mechanism(block, block_vars, gallery_conf):
    """Show the mechanism of the first run that an example has made, once for each example."""
    from matplotlib.figure import Figure
    from sphinx_gallery.scrapers import figure_rst

    from dalembert.errors import MultibodyError
    from dalembert.results.results import Results

    space = block_vars["example_globals"]
    runs = [value for value in space.values() if isinstance(value, Results) and len(value) > 1]
    if not runs or "_drawn" in space:
        return ""
    space["_drawn"] = True
    ax = Figure(figsize=(7.0, 4.6), layout="constrained").add_subplot()
    try:
        runs[0].picture(ax=ax, size=(840, 520))
    except MultibodyError:  # a run whose model changed
        return ""
    path = next(block_vars["image_path_iterator"])
    ax.figure.savefig(path, dpi=100)
    return figure_rst([path], gallery_conf["src_dir"])


sphinx_gallery_conf = {
    "image_scrapers": ("matplotlib", draw_mechanism),
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "plot_",
    "within_subsection_order": "ExampleTitleSortKey",
    "download_all_examples": False,
    "remove_config_comments": True,
    "capture_repr": (),
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
}


def _read_benchmarks(app, docname, source):
    """Take the benchmarks' own page over, where there is one."""
    text = ROOT / "benchmarks" / "README.md"
    if docname == "benchmarks" and text.is_file():
        source[0] = text.read_text(encoding="utf-8")


def setup(app):
    """Connect the hook."""
    app.connect("source-read", _read_benchmarks)
