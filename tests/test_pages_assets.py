"""Templates and static files are found wherever the package was installed from."""

from __future__ import annotations

from pathlib import Path

import pytest

from flask_janela.pages import assets

ROOT = Path(__file__).resolve().parent.parent


def test_a_checkout_keeps_both_folders_beside_the_package() -> None:
    """As an editable install does."""
    assert assets.find("templates") == ROOT / "templates"
    assert assets.find("static") == ROOT / "static"


def test_a_wheel_has_both_inside_the_package(tmp_path: Path) -> None:
    """What lies inside comes first, whatever else is beside it."""
    package = tmp_path / "site-packages" / "flask_janela"
    for folder in (package / "static", package.parent / "static"):
        folder.mkdir(parents=True)
        (folder / "janela.css").touch()
    assert assets.find("static", package) == package / "static"


def test_somebody_elses_folder_beside_the_package_is_not_taken(tmp_path: Path) -> None:
    """Site-packages may well hold a folder called templates; the error says what to do."""
    package = tmp_path / "flask_janela"
    package.mkdir()
    (tmp_path / "templates" / "other").mkdir(parents=True)
    with pytest.raises(FileNotFoundError, match="install flask-janela again"):
        assets.find("templates", package)
