"""Upgrading as the page on it says, by its own commands, in each kind of host."""

from __future__ import annotations

import collections.abc as cabc
import concurrent.futures
import re
import tomllib
from pathlib import Path

import pytest
import sqlalchemy as sa
from databases import bind
from documents import ROOT, blocks
from revisions import FIRST, TABLES, Made, empty, go, made
from shell import typed

from flask_janela.frames import Base
from flask_janela.migrations import VERSION_TABLE, running

PAGE = "docs/upgrading.md"
YOUR_OWN, NEW_LABEL, EVERY_TIME, WITHOUT = blocks(PAGE, "console")
(LISTED,) = blocks(PAGE, "ini")
(LEFT_ALONE,) = blocks(PAGE)

SHOP = '''
"""A host: one table of its own, and Janela."""

import sqlalchemy as sa
from flask import Flask
from flask_migrate import Migrate
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from flask_janela import Count, Janela, Vocabulary


class Base(DeclarativeBase):
    pass


app = Flask("shop")
app.config["SQLALCHEMY_DATABASE_URI"] = {url!r}
app.config["SQLALCHEMY_ENGINE_OPTIONS"] = {options!r}
db = SQLAlchemy(app, model_class=Base)


class Order(db.Model):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)

    class Janela(Vocabulary):
        orders = Count()


janela = Janela(app, db)
janela.scope(lambda model, caller: sa.select(model))
janela.current_caller(lambda: None)
'''


NOTE = "note: Mapped[str | None] = mapped_column(sa.String(9))"


class Project:
    """A folder with a host over a database that has the tables of Janela's first version."""

    def __init__(self, folder: Path, engine: sa.Engine, more: str = "") -> None:
        self.folder, self.engine = folder, engine
        options = bind(engine.url.render_as_string(hide_password=False))
        self.source = SHOP.format(url=options.pop("url"), options=options) + more
        self.write()

    def write(self, old: str = "", new: str = "") -> None:
        """The host's code, with something changed."""
        self.source = self.source.replace(old, new)
        (self.folder / "shop.py").write_text(self.source)

    def run(self, commands: str) -> str:
        """What commands print, each in a process of its own; all must succeed."""
        lines = commands.strip().splitlines()
        return "".join(typed(line, self.folder, FLASK_APP="shop") for line in lines)

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.folder / name).read_text()
        assert old in text
        (self.folder / name).write_text(text.replace(old, new, 1))

    def revision(self, slug: str) -> str:
        """What a revision of the host's own does to upgrade."""
        (path,) = self.folder.glob(f"migrations/versions/*_{slug}.py")
        return path.read_text().split("def upgrade")[1].split("def downgrade")[0]

    def frames(self) -> list[str]:
        with self.engine.connect() as connection:
            return list(connection.scalars(sa.text("SELECT name FROM janela_frames")))

    @property
    def names(self) -> set[str]:
        return set(sa.inspect(self.engine).get_table_names())


@pytest.fixture
def engine(tmp_path: Path) -> cabc.Iterator[sa.Engine]:
    """A database as the first version left it, with a frame and no record of a revision."""
    (tmp_path / "database").mkdir()
    with empty(tmp_path / "database") as engine:
        go(engine, "upgrade", FIRST)
        with engine.begin() as connection:
            connection.exec_driver_sql(f"DROP TABLE {VERSION_TABLE}")
            frames = Base.metadata.tables["janela_frames"]
            connection.execute(sa.insert(frames).values(key="sales", name="Sales"))
        yield engine


@pytest.fixture
def whole(tmp_path: Path) -> dict[str, Made]:
    """Janela's tables as this version has them."""
    (tmp_path / "whole").mkdir()
    with empty(tmp_path / "whole") as engine:
        Base.metadata.create_all(engine)
        return made(engine)


def test_autogenerate_yields_the_change_and_nothing_else(
    tmp_path: Path, engine: sa.Engine, whole: dict[str, Made]
) -> None:
    """With types and server defaults compared; afterwards it finds no difference.

    The table of ``flask janela upgrade`` goes with it, as it does where somebody begins to use
    Flask-Migrate later.
    """
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32))")
        connection.exec_driver_sql("CREATE TABLE orders (id INTEGER PRIMARY KEY NOT NULL)")
    here = Project(tmp_path, engine, "Migrate(app, db, compare_server_default=True)\n")
    here.run("flask db init")
    here.run(YOUR_OWN)
    operations = re.findall(r"op\.(\w+)\((?:sa\.Column\()?'(\w+)'", here.revision("upgrade_janela"))
    assert sorted(operations) == [
        ("add_column", "rate_limited"),
        ("batch_alter_table", "janela_tool_usage"),
        ("drop_table", VERSION_TABLE),
    ]
    assert made(engine) == whole
    assert here.frames() == ["Sales"]


def test_autogenerate_makes_the_tables_of_a_new_host(
    tmp_path: Path, whole: dict[str, Made]
) -> None:
    """What it writes runs as it stands, whatever the database, and is what the models say."""
    (tmp_path / "new").mkdir()
    with empty(tmp_path / "new") as new:
        here = Project(tmp_path, new, "Migrate(app, db, compare_server_default=True)\n")
        here.run("flask db init")
        here.run(YOUR_OWN)
        assert made(new) == whole


def test_janelas_revisions_beside_the_hosts(
    tmp_path: Path, engine: sa.Engine, whole: dict[str, Made]
) -> None:
    """Tables that are there are taken as they are, and the host's own know nothing of them."""
    here = Project(tmp_path, engine, LEFT_ALONE)
    here.run("flask db init")
    here.edit("migrations/alembic.ini", "[alembic]\n", LISTED)
    here.run(NEW_LABEL)
    assert "orders" in here.revision("first")
    assert "janela" not in here.revision("first")
    assert made(engine) == whole
    here.write(
        "class Janela(V",
        "note: Mapped[str | None] = mapped_column(sa.String(9))\n\n    class Janela(V",
    )
    assert running.newest() in here.run(EVERY_TIME)
    assert re.findall(r"'(\w+)'", here.revision("notes_on_orders")) == ["orders", "note"]
    here.run("flask db downgrade janela@-1")
    assert made(engine) != whole
    assert "ADD COLUMN rate_limited" in here.run("flask db upgrade janela@head --sql")
    here.run("flask db upgrade janela@head")
    assert made(engine) == whole
    assert here.frames() == ["Sales"]
    assert VERSION_TABLE not in here.names


@pytest.mark.parametrize("shipped", [False, True], ids=["its own", "Janela's revisions"])
def test_alembic_alone(
    tmp_path: Path, engine: sa.Engine, whole: dict[str, Made], shipped: bool
) -> None:
    """Its ``env.py`` makes the application first; the table that only Alembic knows is its own."""
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE orders (id INTEGER PRIMARY KEY NOT NULL)")
    here = Project(tmp_path, engine)
    here.run("alembic init migrations")
    url = here.engine.url.render_as_string(hide_password=False).replace("%", "%%")
    here.edit("alembic.ini", "driver://user:pass@localhost/dbname", url)
    here.edit(
        "migrations/env.py",
        "target_metadata = None",
        "from flask_janela.migrations import include_object\n"
        "from shop import db\n\ntarget_metadata = db.metadata",
    )
    compared = "compare_server_default=True" + (", include_object=include_object" * shipped)
    here.edit(
        "migrations/env.py",
        "connection=connection, target_metadata=target_metadata",
        f"connection=connection, target_metadata=target_metadata, {compared}",
    )
    if shipped:
        here.edit("alembic.ini", "path_separator = os", "")
        here.edit(
            "alembic.ini", "[alembic]\n", LISTED.replace("/versions\n", "/migrations/versions\n", 1)
        )
        here.run("alembic upgrade heads")
    else:
        here.run('alembic revision --autogenerate -m "Upgrade Janela"')
        found = re.findall(r"op\.(.*)", here.revision("upgrade_janela"))
        assert len(found) == 1
        assert found[0].startswith("add_column('janela_tool_usage', sa.Column('rate_limited'")
        here.run("alembic upgrade head")
    here.run("alembic check")
    assert made(engine) == whole
    assert here.frames() == ["Sales"]


def test_a_host_with_several_binds(
    tmp_path: Path, engine: sa.Engine, whole: dict[str, Made]
) -> None:
    """Flask-Migrate runs every revision for each; only the default one is changed."""
    facts = f"sqlite:///{tmp_path / 'facts.sqlite'}"
    here = Project(tmp_path, engine, LEFT_ALONE)
    here.write("db = SQL", f'app.config["SQLALCHEMY_BINDS"] = {{"facts": {facts!r}}}\ndb = SQL')
    here.run("flask db init --multidb")
    here.edit("migrations/alembic.ini", "[alembic]\n", LISTED)
    here.run("flask db upgrade heads")
    assert made(engine) == whole
    assert made(sa.create_engine(facts, poolclass=sa.NullPool)) == {}


def test_a_host_without_migrations(
    tmp_path: Path, engine: sa.Engine, whole: dict[str, Made]
) -> None:
    """The command takes the tables as they are; so do a host's own migrations afterwards."""
    here = Project(tmp_path, engine)
    install, *commands = WITHOUT.splitlines()
    assert install == running.INSTALL
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert [each.split(">")[0] for each in extras["optional-dependencies"]["migrate"]] == [
        "alembic"
    ]
    here.run("\n".join(commands))
    assert made(engine) == whole
    assert here.frames() == ["Sales"]
    assert here.names == {*TABLES, VERSION_TABLE}
    here.write("janela = Janela", f"{LEFT_ALONE}\njanela = Janela")
    here.run("flask db init")
    here.edit("migrations/alembic.ini", "[alembic]\n", LISTED)
    here.run("flask db upgrade heads")
    assert made(engine) == whole
    assert here.frames() == ["Sales"]


def test_servers_that_are_deployed_at_once_upgrade_in_turn(
    tmp_path: Path, engine: sa.Engine, whole: dict[str, Made]
) -> None:
    """One does it, the others find it done."""
    here = Project(tmp_path, engine)
    with concurrent.futures.ThreadPoolExecutor() as servers:
        said = sorted(servers.map(here.run, ["flask janela upgrade"] * 3))
    assert [each.split(":")[0] for each in said] == [
        f"Janela's tables are at {running.newest()}; before",
        "Nothing to do",
        "Nothing to do",
    ]
    assert made(engine) == whole
