"""Sphinx: pages in MyST, a gallery of executed examples, numbered equations, references; builds without a network.

Formulas are set by MathJax.  If ``docs/node_modules/mathjax`` exists (``npm install --prefix docs mathjax@3``) it is
copied into the pages, which then need no network for being read either.
"""

import re
import shutil
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
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["_build", "node_modules", "_templates", "images/*.py"]
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

sphinx_gallery_conf = {
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

_mathjax = HERE / "node_modules" / "mathjax" / "es5"
if _mathjax.is_dir():
    mathjax_path = "mathjax/tex-chtml.js"
    mathjax_options = {"defer": "defer"}


def _copy_mathjax(app, exception):
    """Put MathJax and its fonts beside the pages."""
    if exception is not None or not _mathjax.is_dir() or app.builder.format != "html":
        return
    target = Path(app.outdir) / "_static" / "mathjax"
    fonts = "output/chtml/fonts"
    target.mkdir(parents=True, exist_ok=True)
    shutil.copy(_mathjax / "tex-chtml.js", target)
    shutil.copytree(_mathjax / fonts, target / fonts, dirs_exist_ok=True)


def _read_benchmarks(app, docname, source):
    """Take the benchmarks' own page over, where there is one."""
    text = ROOT / "benchmarks" / "README.md"
    if docname == "benchmarks" and text.is_file():
        source[0] = text.read_text(encoding="utf-8")


def setup(app):
    """Connect the two hooks."""
    app.connect("source-read", _read_benchmarks)
    app.connect("build-finished", _copy_mathjax)
