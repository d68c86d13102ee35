"""How the documentation is built: ``make docs``. It needs the extra ``docs`` and no network."""

from __future__ import annotations

import re
import typing as t
from importlib.metadata import version as version_of
from pathlib import Path

if t.TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[1]

project = "flask-janela"
author = "The flask-janela authors"
copyright = author
version = release = version_of("flask-janela")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "flask-janela"
html_copy_source = False
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "exclude-members": "metadata, registry"}
add_module_names = False
napoleon_use_rtype = False

# What nothing here documents: other libraries, the rooms behind the public names, and what
# annotations call by the short name that their module has for it.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!flask_janela\.).*"),
    (r"py:.*", r"flask_janela\.(?!Janela\b|frames\.\w+$|roster\.\w+$|tools\.\w+$).*\..*"),
]

ABOVE = {"README.md": "readme.md", "CHANGELOG.md": "changelog.md"}
"""Documents of the repository that are pages here; links to its other files become their names."""


def from_above(app: Sphinx, name: str, source: list[str]) -> None:
    """The repository's own documents as pages, and links to its files as this site has them."""
    above = next((path for path, page in ABOVE.items() if page == f"{name}.md"), None)
    text = source[0] if above is None else (ROOT / above).read_text(encoding="utf-8")
    text = text.replace("# flask-janela\n", "# README\n", 1) if name == "readme" else text
    here = "" if above is None else "docs/"
    up = "../" * name.count("/")

    def link(found: re.Match[str]) -> str:
        words, target, anchor = found[1], found[2], found[3] or ""
        if above is not None:
            target = target.removeprefix(here) if target.startswith(here) else f"../{target}"
        if not target.startswith("../" + up):
            return f"[{words}]({target}{anchor})"
        target = target.removeprefix("../" + up)
        page = ABOVE.get(target)
        return words if page is None else f"[{words}]({up}{page}{anchor})"

    source[0] = re.sub(r"\[([^\]]+)\]\(([^):#]+)(#[^)]*)?\)", link, text)


def setup(app: Sphinx) -> None:
    app.connect("source-read", from_above)
