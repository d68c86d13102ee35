"""What an installed flask-janela holds, proven by installing it where no checkout is in sight."""

from __future__ import annotations

import collections.abc as cabc
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.slow

HOST = '''
"""A host with one model and one person: are Janela's page and its stylesheet served?"""

import sqlalchemy as sa
import sqlalchemy.orm as orm
from flask import Flask
from flask_login import FlaskLoginClient, LoginManager, UserMixin
from flask_sqlalchemy import SQLAlchemy

import flask_janela
from flask_janela import Count, Janela, Vocabulary


class Base(orm.DeclarativeBase):
    pass


db = SQLAlchemy(model_class=Base)
login_manager = LoginManager()
janela = Janela()


class Ticket(db.Model):
    __tablename__ = "tickets"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)

    class Janela(Vocabulary):
        tickets = Count()


class Person(UserMixin):
    id = "ana"


@login_manager.user_loader
def load(person_id):
    return Person()


@janela.scope
def scope(model, caller):
    return sa.select(model)


app = Flask(__name__)
app.config.update(SECRET_KEY="tests", TESTING=True, SQLALCHEMY_DATABASE_URI="sqlite://")
db.init_app(app)
login_manager.init_app(app)
janela.init_app(app, db)
app.test_client_class = FlaskLoginClient

with app.app_context():
    db.create_all()

client = app.test_client(user=Person())
page = client.get("/janela/")
sheet = client.get("/janela/static/janela.css")
assert page.status_code == 200, (page.status, page.text)
assert "/janela/static/janela.css" in page.text, page.text
assert sheet.status_code == 200, sheet.status
assert sheet.mimetype == "text/css", sheet.mimetype
assert "--janela-" in sheet.text
print("rendered by", flask_janela.__file__)
'''


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the package is built from, so that building leaves nothing in the checkout."""
    folder = tmp_path_factory.mktemp("source") / "flask-janela"
    folder.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / name)
    for name in ("flask_janela", "templates", "static"):
        shutil.copytree(
            ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
        )
    return folder


@pytest.fixture(scope="module")
def wheel(source: Path) -> Path:
    run(sys.executable, "-m", "build", "--wheel", "--outdir", str(source.parent), cwd=source)
    return next(source.parent.glob("*.whl"))


@pytest.fixture
def fresh_python(tmp_path: Path) -> Path:
    """The Python of a new environment with nothing in it but pip."""
    run(sys.executable, "-m", "venv", str(tmp_path / "environment"))
    scripts = "Scripts" if os.name == "nt" else "bin"
    return tmp_path / "environment" / scripts / "python"


def run(*command: str, cwd: Path | None = None) -> str:
    """The output of a command that must succeed, run without what points at this checkout."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
    }
    result = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, f"{' '.join(command)}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def render_elsewhere(python: Path, folder: Path) -> str:
    """Where the flask_janela came from that served a page to a host in an unrelated folder."""
    foreign = folder / "a host"
    foreign.mkdir(exist_ok=True)
    script = foreign / "host.py"
    script.write_text(HOST, encoding="utf-8")
    return run(str(python), "-I", str(script), cwd=foreign).partition("rendered by ")[2].strip()


def below(folder: Path, *suffixes: str) -> cabc.Iterator[str]:
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix in suffixes:
            yield path.relative_to(folder).as_posix()


def test_the_wheel_holds_every_file_of_the_package(source: Path, wheel: Path) -> None:
    """Modules, templates, stylesheets and scripts: all of the checkout's, and no test."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    suffixes = (".py", ".typed", ".pot", ".po", ".mo")
    expected = {f"flask_janela/{name}" for name in below(source / "flask_janela", *suffixes)}
    assert "flask_janela/translations/pt/LC_MESSAGES/janela.mo" in expected
    for folder, suffixes in (
        ("templates", (".html",)),
        ("static", (".css", ".js", ".svg", ".md", ".txt")),
    ):
        expected |= {f"flask_janela/{folder}/{name}" for name in below(source / folder, *suffixes)}
    assert "flask_janela/static/janela.css" in expected
    assert any(name.startswith("flask_janela/templates/janela/") for name in expected)
    assert expected <= names
    assert {name.split("/")[0].split("-")[0] for name in names} == {"flask_janela"}


def test_a_page_renders_from_an_installed_wheel_and_from_an_editable_install(
    source: Path, wheel: Path, fresh_python: Path, tmp_path: Path
) -> None:
    """With the dependencies the wheel names, from a foreign working directory; then, as a
    contributor installs it, with the folders beside the package. The wheel's revisions run, too."""
    pip = [str(fresh_python), "-m", "pip", "install", "--quiet"]
    run(*pip, str(wheel))
    served_by = render_elsewhere(fresh_python, tmp_path)
    assert Path(served_by).is_relative_to(tmp_path / "environment")
    run(*pip, f"{wheel}[migrate]")
    upgrade = (str(fresh_python), "-m", "flask", "--app", "host", "janela", "upgrade")
    assert "tables are at janela_" in run(*upgrade, cwd=tmp_path / "a host")
    run(*pip, "--no-deps", "--editable", str(source))
    served_by = render_elsewhere(fresh_python, tmp_path)
    assert Path(served_by) == source / "flask_janela" / "__init__.py"
