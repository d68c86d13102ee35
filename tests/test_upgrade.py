"""Janela's tables from one version to the next: what the revisions make, keep and take as it is."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import io
import re
import sys
import typing as t
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from databases import ENGINE
from desk import client, frame, pane
from documents import ROOT
from flask_migrate import Migrate
from hosts import Host, host, shop
from ledger import TOOLS, call, keep, kept
from revisions import FIRST, TABLES, differences, empty, go, made

from flask_janela.errors import JanelaError
from flask_janela.frames import Base, Favourite
from flask_janela.migrations import VERSION_TABLE, include_object, running
from flask_janela.roster import ToolCall, ToolMark, ToolUsage, report

NEWEST = running.newest()
TRANSACTIONAL = ENGINE != "mariadb"
"""Whether the database takes back what an interrupted upgrade did to tables."""

CONVENTION = {
    "ix": "idx_%(table_name)s_%(column_0_N_name)s",
    "uq": "unique_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}


@pytest.fixture
def engine(tmp_path: Path) -> cabc.Iterator[sa.Engine]:
    with empty(tmp_path) as engine:
        yield engine


def joined(convention: dict[str, str] | None = None) -> sa.MetaData:
    """The metadata of a host that Janela's tables have joined."""
    metadata = sa.MetaData(naming_convention=convention)
    for table in Base.metadata.sorted_tables:
        table.to_metadata(metadata)
    return metadata


# the newest revision and the models


def unwritten(found: list[t.Any]) -> str:
    """What to do about differences between the revisions and the models."""
    number = int(NEWEST.removeprefix("janela_")) + 1
    told = "\n".join(f"  {each}" for each in found)
    return (
        f"The models of Janela's tables differ from what the newest revision, {NEWEST}, makes:\n"
        f"{told}\n"
        f"Write flask_janela/migrations/versions/janela_{number:04}_….py with that change (see "
        '"When a table changes" in CONTRIBUTING.md), or take the change to the models back.'
    )


def test_the_newest_revision_makes_what_the_models_say(engine: sa.Engine) -> None:
    """From nothing, through all revisions, with types and server defaults: no difference."""
    running.upgrade(engine, Base.metadata)
    found = differences(engine)
    assert not found, unwritten(found)


def test_a_model_that_changed_alone_is_told_with_what_to_do(engine: sa.Engine) -> None:
    metadata = joined()
    metadata.tables["janela_panes"].append_column(sa.Column("colour", sa.String(20)))
    running.upgrade(engine, Base.metadata)
    told = unwritten(differences(engine, metadata))
    assert "colour" in told
    assert f"janela_{int(NEWEST.removeprefix('janela_')) + 1:04}_….py" in told


@pytest.mark.parametrize("convention", [None, CONVENTION], ids=["none", "a host's"])
def test_the_tables_are_those_of_create_all(
    tmp_path: Path, convention: dict[str, str] | None
) -> None:
    """To the collation and the names, those of the host's convention too."""
    metadata = joined(convention)
    for name in ("upgraded", "created"):
        (tmp_path / name).mkdir()
    with empty(tmp_path / "upgraded") as upgraded, empty(tmp_path / "created") as created:
        running.upgrade(upgraded, metadata)
        metadata.create_all(created)
        assert made(upgraded) == made(created)
        assert set(made(created)) == set(TABLES)
        assert differences(upgraded, metadata) == differences(created, metadata) == []


@pytest.mark.not_on("sqlite", "postgresql")
def test_mariadb_reached_as_mysql_has_no_differences_either(engine: sa.Engine) -> None:
    running.upgrade(engine, Base.metadata)
    other = sa.create_engine(engine.url.set(drivername="mysql+pymysql"))
    assert differences(other) == []
    other.dispose()


def test_revisions_are_one_line_of_readable_names() -> None:
    """Numbered, on one branch that hosts can name, each told by the first line of its file."""
    scripts = ScriptDirectory.from_config(running.own_config())
    line = list(scripts.walk_revisions())[::-1]
    assert [each.revision for each in line] == [f"janela_{n:04}" for n in range(1, len(line) + 1)]
    for each in line:
        assert Path(each.path).name.startswith(f"{each.revision}_")
        assert each.branch_labels == {"janela"}
        assert each.doc.endswith(".")


# rows


def rows(engine: sa.Engine) -> dict[str, list[dict[str, t.Any]]]:
    """All rows of Janela's tables, by the columns that are there."""
    found = {}
    with engine.connect() as connection:
        seen = sa.inspect(connection)
        for name in TABLES:
            there = {each["name"] for each in seen.get_columns(name)}
            table = Base.metadata.tables[name]
            columns = [column for column in table.columns if column.name in there]
            every = connection.execute(sa.select(*columns).order_by(*table.primary_key))
            found[name] = [dict(row) for row in every.mappings()]
    return found


def test_an_upgrade_from_the_first_keeps_every_row_and_works() -> None:
    """A frame draws and the roster counts as they did where all tables were made at once."""
    calls = [call(duration=float(n), caller="user:ana") for n in range(30)]
    calls += [call(outcome="refused", started=call().started - dt.timedelta(days=3))] * 5
    with kept(calls) as h:
        sales = frame(h)
        pane(h, sales, model="orders", measure="orders", dimension="region")
        h.add(Favourite(caller_ref="user:ana", frame_id=sales.id))
        address = f"/janela/frames/{sales.id}"
        assert h.janela.recorder.fold(grace=-1).hours
        before = rows(h.db.engine)
        drawn, counted = client(h).get(address), roster(h)
        assert drawn.status_code == 200
        _as_first(h, before)
        assert "rate_limited" not in made(h.db.engine)["janela_tool_usage"].columns
        assert all(before.values())

        done = running.upgrade(h.db.engine, h.db.metadata)
        assert done == running.Upgrade(FIRST, NEWEST)
        assert rows(h.db.engine) == before
        assert client(h).get(address).text == drawn.text
        assert roster(h) == counted
        keep(h, [call(outcome="rate_limited")])
        h.db.session.execute(sa.update(ToolCall).values(written=ToolCall.written - 100))
        h.db.session.execute(sa.update(ToolMark).where(ToolMark.name == "folded").values(value=0))
        h.db.session.commit()
        assert h.janela.recorder.fold(grace=-1).hours
        limited = sa.select(ToolUsage.rate_limited).where(ToolUsage.span == 1)
        assert sum(h.db.session.scalars(limited)) == 1
        assert roster(h).figures.calls == counted.figures.calls + 1


def roster(h: Host) -> report.Totals:
    return report.roster(h.janela.reader(h.people["ana"]), TOOLS, window="7d").totals


def _as_first(h: Host, every: dict[str, list[dict[str, t.Any]]]) -> None:
    """Put rows into tables as the first revision makes them; keys are counted as they were."""
    h.db.session.remove()
    Base.metadata.drop_all(h.db.engine)
    go(h.db.engine, "upgrade", FIRST)
    with h.db.engine.begin() as connection:
        for name in TABLES:
            there = {each["name"] for each in sa.inspect(connection).get_columns(name)} - {"id"}
            columns = [each for each in Base.metadata.tables[name].columns if each.name in there]
            old = sa.table(name, *(sa.column(each.name, each.type) for each in columns))
            for row in every[name]:
                given = {key: value for key, value in row.items() if key in there}
                connection.execute(sa.insert(old).values(given))


def test_back_to_the_first_and_up_again_keeps_every_row() -> None:
    with kept([call()] * 3) as h:
        sales = frame(h)
        pane(h, sales, model="orders", measure="orders")
        h.add(Favourite(caller_ref="user:ana", frame_id=sales.id))
        assert h.janela.recorder.fold(grace=-1).hours
        h.db.session.remove()
        running.upgrade(h.db.engine, h.db.metadata)
        whole, before = made(h.db.engine), rows(h.db.engine)
        assert all(before.values())
        go(h.db.engine, "downgrade", FIRST)
        assert "rate_limited" not in rows(h.db.engine)["janela_tool_usage"][0]
        running.upgrade(h.db.engine, h.db.metadata)
        assert rows(h.db.engine) == before
        assert made(h.db.engine) == whole


def test_what_revisions_added_may_be_left_out_by_the_version_before(engine: sa.Engine) -> None:
    """It goes on writing while the new one is deployed."""
    go(engine, "upgrade", FIRST)
    first = made(engine)
    running.upgrade(engine, Base.metadata)
    added = [
        each
        for name, table in made(engine).items()
        for column, each in table.columns.items()
        if name in first and column not in first[name].columns
    ]
    assert added
    assert all(nullable or default is not None for _, nullable, default in added)


def test_back_to_nothing_and_up_again(engine: sa.Engine) -> None:
    running.upgrade(engine, Base.metadata)
    whole = made(engine)
    go(engine, "downgrade", "base")
    assert made(engine) == {}
    assert running.upgrade(engine, Base.metadata) == running.Upgrade(None, NEWEST)
    assert made(engine) == whole


# tables that are there without a record


def test_tables_of_create_all_are_taken_as_they_are(engine: sa.Engine) -> None:
    """Then a revision is recorded, and nothing else happens."""
    Base.metadata.create_all(engine)
    whole = made(engine)
    with engine.begin() as connection:
        connection.execute(sa.insert(Base.metadata.tables["janela_frames"]), _FRAME)
    before = rows(engine)
    assert running.upgrade(engine, Base.metadata) == running.Upgrade(None, NEWEST)
    assert (made(engine), rows(engine)) == (whole, before)
    assert running.upgrade(engine, Base.metadata) == running.Upgrade(NEWEST, NEWEST)


_FRAME = {"key": "sales", "name": "Sales"}


@pytest.mark.parametrize("without", [[], ["janela_favourites"], TABLES[1:]], ids=len)
def test_older_tables_without_a_record_get_what_they_lack(
    engine: sa.Engine, without: list[str]
) -> None:
    """Those of the first release, and of versions before it that had fewer."""
    go(engine, "upgrade", FIRST)
    with engine.begin() as connection:
        for name in [VERSION_TABLE, *without[::-1]]:
            connection.exec_driver_sql(f"DROP TABLE {name}")
        connection.execute(sa.insert(Base.metadata.tables["janela_frames"]), _FRAME)
    running.upgrade(engine, Base.metadata)
    assert differences(engine) == []
    assert [row["name"] for row in rows(engine)["janela_frames"]] == ["Sales"]


def test_the_statement_of_the_changelog_is_as_good(engine: sa.Engine) -> None:
    """Whoever typed it has no difference, and nothing more to do."""
    changelog = " ".join((ROOT / "CHANGELOG.md").read_text().split())
    (statement,) = re.findall(r"`(ALTER TABLE [^`]*rate_limited[^`]*)`", changelog)
    go(engine, "upgrade", FIRST)
    with engine.begin() as connection:
        connection.exec_driver_sql(statement)
    assert differences(engine) == []
    running.upgrade(engine, Base.metadata)
    assert differences(engine) == []


# interruptions


class Cut(Exception):
    """The process ends here."""


def test_an_upgrade_that_is_cut_off_anywhere_is_whole_or_completed(tmp_path: Path) -> None:
    """After each statement that changes tables, one further every time.

    Where such statements are in a transaction nothing is left of it; on MySQL each time goes on
    where the one before ended.
    """
    (tmp_path / "whole").mkdir()
    with empty(tmp_path) as engine, empty(tmp_path / "whole") as whole:
        running.upgrade(whole, Base.metadata)
        left = [0]

        def cut(connection: t.Any, cursor: t.Any, statement: str, *rest: t.Any) -> None:
            if statement.lstrip().startswith(("CREATE", "ALTER")):
                if not left[0]:
                    raise Cut
                left[0] -= 1

        sa.event.listen(engine, "before_cursor_execute", cut)
        for times in range(100):
            left[0] = times if TRANSACTIONAL else 1
            try:
                running.upgrade(engine, Base.metadata)
                break
            except Cut:
                if TRANSACTIONAL:
                    assert sa.inspect(engine).get_table_names() == []
        sa.event.remove(engine, "before_cursor_execute", cut)
        assert times >= 15
        assert made(engine) == made(whole)
        assert differences(engine) == []


@pytest.mark.not_on("sqlite", "postgresql")
def test_mariadb_does_not_wait_for_another_upgrade_forever(
    engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_SECONDS", 0)
    with (
        running._alone(engine),
        pytest.raises(JanelaError, match="Another process has been upgrading"),
    ):
        running.upgrade(engine, Base.metadata)
    running.upgrade(engine, Base.metadata)
    assert differences(engine) == []


def test_a_downgrade_that_is_cut_off_is_completed_by_the_next(engine: sa.Engine) -> None:
    """With one table gone already, and the column."""
    running.upgrade(engine, Base.metadata)
    with engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE janela_tool_usage DROP COLUMN rate_limited")
        connection.exec_driver_sql("DROP TABLE janela_tool_marks")
    go(engine, "downgrade", "base")
    assert made(engine) == {}


def test_a_table_that_is_gone_is_told_with_what_makes_it(engine: sa.Engine) -> None:
    """Though the record says that it was made."""
    go(engine, "upgrade", FIRST)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE janela_tool_usage")
    with pytest.raises(JanelaError, match=r"janela_tool_usage is gone.*flask janela init"):
        running.upgrade(engine, Base.metadata)
    Base.metadata.create_all(engine)
    running.upgrade(engine, Base.metadata)
    assert differences(engine) == []


# as statements, and beside other binds


def test_the_revisions_written_as_statements_make_the_same(tmp_path: Path) -> None:
    """For hosts who give them to somebody else: ``flask db upgrade janela@head --sql``."""
    (tmp_path / "whole").mkdir()
    with empty(tmp_path) as engine, empty(tmp_path / "whole") as whole:
        written = io.StringIO()
        options = {"as_sql": True, "output_buffer": written, "target_metadata": Base.metadata}
        context = MigrationContext.configure(dialect=engine.dialect, opts=options)
        with Operations.context(context):
            for each in _modules():
                each.upgrade()
        with engine.begin() as connection:
            for statement in written.getvalue().split(";")[:-1]:
                connection.exec_driver_sql(statement)
        running.upgrade(whole, Base.metadata)
        assert made(engine) == made(whole)
        written.truncate(0)
        with Operations.context(context):
            for each in _modules()[::-1]:
                each.downgrade()
        assert written.getvalue().count("DROP TABLE") == len(TABLES)
        assert "DROP COLUMN rate_limited" in written.getvalue()


def test_only_the_default_bind_is_changed(engine: sa.Engine) -> None:
    """Flask-Migrate with several names each in turn, the default one by nothing."""
    with (
        engine.begin() as connection,
        Operations.context(MigrationContext.configure(connection)),
    ):
        for each in _modules():
            each.upgrade(engine_name="facts")
        assert not sa.inspect(connection).get_table_names()
        for each in _modules():
            each.upgrade(engine_name="")
        for each in _modules()[::-1]:
            each.downgrade(engine_name="facts")
    assert differences(engine) == []


def _modules() -> list[t.Any]:
    scripts = ScriptDirectory.from_config(running.own_config())
    return [each.module for each in scripts.walk_revisions()][::-1]


def test_autogenerate_can_leave_the_tables_alone(engine: sa.Engine) -> None:
    """Whether they are there or not, that of the record included; the host's own are compared."""
    from alembic.autogenerate import compare_metadata

    metadata = joined()
    sa.Table("orders", metadata, sa.Column("id", sa.Integer, primary_key=True))

    def found() -> list[str]:
        with engine.connect() as connection:
            options = {"include_object": include_object, "target_metadata": metadata}
            context = MigrationContext.configure(connection, opts=options)
            return [f"{each[0]} {each[1].name}" for each in compare_metadata(context, metadata)]

    assert found() == ["add_table orders"]
    go(engine, "upgrade", FIRST)
    assert found() == ["add_table orders"]


# the command


def told(h: Host, *arguments: str) -> tuple[int, str]:
    result = h.app.test_cli_runner().invoke(args=["janela", *(arguments or ("upgrade",))])
    return result.exit_code, result.output


def test_the_command_says_what_it_did() -> None:
    with host(shop) as h:
        h.db.drop_all()
        assert told(h) == (0, f"Janela's tables are at {NEWEST}; before: not recorded.\n")
        assert told(h) == (0, f"Nothing to do: Janela's tables are at {NEWEST}.\n")
        go(h.db.engine, "downgrade", FIRST)
        assert told(h) == (0, f"Janela's tables are at {NEWEST}; before: {FIRST}.\n")
        assert set(made(h.db.engine)) == set(TABLES)


def test_the_command_after_init_only_records() -> None:
    with host(shop) as h:
        h.db.drop_all()
        assert told(h, "init")[0] == 0
        whole = made(h.db.engine)
        assert told(h)[0] == 0
        assert made(h.db.engine) == whole


def test_the_command_without_alembic_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "alembic", None)
    with host(shop) as h:
        code, said = told(h)
    assert code == 1
    assert said == (
        "Error: This needs Alembic, which is not installed: pip install 'flask-janela[migrate]'\n"
    )


def test_a_folder_of_the_name_is_no_alembic(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Hosts keep their revisions in one, and Flask looks for modules beside it."""
    (tmp_path / "alembic").mkdir()
    for name in [each for each in sys.modules if each.partition(".")[0] == "alembic"]:
        monkeypatch.delitem(sys.modules, name)
    assert running.is_installed()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert not running.is_installed()


def test_the_command_is_refused_where_flask_migrate_does_it() -> None:
    with host(shop) as h:
        Migrate(h.app, h.db)
        code, said = told(h)
        assert code == 1
        assert "flask db migrate" in said
        assert VERSION_TABLE not in sa.inspect(h.db.engine).get_table_names()


def test_the_command_is_refused_where_the_hosts_alembic_does_it() -> None:
    with host(shop) as h:
        record(h.db.engine, running.HOSTS_TABLE, FIRST)
        code, said = told(h)
        assert code == 1
        assert "alembic upgrade heads" in said
        assert VERSION_TABLE not in sa.inspect(h.db.engine).get_table_names()


def test_tables_of_a_newer_version_are_not_touched() -> None:
    """As after going back to an older flask-janela."""
    with host(shop) as h:
        record(h.db.engine, VERSION_TABLE, "janela_9999")
        code, said = told(h)
        assert code == 1
        assert "of a newer flask-janela" in said
        assert "janela_9999" in said


def record(engine: sa.Engine, table: str, revision: str) -> None:
    """Name a revision in a version table."""
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE TABLE {table} (version_num VARCHAR(32) PRIMARY KEY)")
        connection.exec_driver_sql(f"INSERT INTO {table} VALUES ('{revision}')")
