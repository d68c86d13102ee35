"""Vendored scripts are what their README says they are, and have their licences beside them."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = [ROOT / "static" / "vendor", ROOT / "tests" / "vendor"]


def _rows(folder: Path) -> dict[str, list[str]]:
    """The cells of the README's table by the file each row is about."""
    rows = re.findall(r"^\| `(.+?)` \|(.+)\|$", (folder / "README.md").read_text(), re.MULTILINE)
    return {name: [cell.strip() for cell in rest.split("|")] for name, rest in rows}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.parent.name)
def test_every_script_is_listed_with_its_sum_and_licence(folder: Path) -> None:
    """And nothing else is there but licences."""
    rows = _rows(folder)
    assert set(rows) == {path.name for path in folder.glob("*.js")}
    for name, (package, _, digest, licence) in rows.items():
        assert re.fullmatch(r"npm `\S+` \d+\.\d+\.\d+", package), name
        found = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        assert digest == f"`{found}`", name
        for file in re.findall(r"`(.+?)`", licence):
            assert (folder / file).read_text().strip(), file
