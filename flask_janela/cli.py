"""``flask janela …``: the commands for whoever runs the host."""

from __future__ import annotations

import datetime as dt
import json
import secrets
import typing as t

import click
import flask
from flask.cli import AppGroup

from .caller import load_caller
from .cli_agents import COMMANDS, Failed
from .cli_doctor import doctor
from .errors import JanelaError, printable
from .frames import Base
from .state import current_state
from .vocabulary.dimensions import GRANULARITIES

if t.TYPE_CHECKING:
    from .query.result import Result

janela = AppGroup("janela", help="Ask, check and set up Janela in this application.")


for command in (*COMMANDS, doctor):
    janela.add_command(command)


@janela.command("init")
def init() -> None:
    """Create Janela's own tables where they are missing.

    For hosts without migrations; with Flask-Migrate the tables are in its next revision. Columns
    that tables lack which are there are added by upgrade.
    """
    state = current_state()
    engine = state.db.engine
    names = [table.name for table in Base.metadata.sorted_tables]
    tables = [state.db.metadata.tables[name] for name in names]
    state.db.metadata.create_all(engine, tables=tables, checkfirst=True)
    click.echo(f"Tables there: {', '.join(names)}.")


@janela.command("upgrade")
def upgrade() -> None:
    """Bring Janela's own tables to what this version of it needs, keeping their rows.

    For hosts without migrations, after each new version. Missing tables are made, too. It needs
    Alembic (the extra migrate). With Flask-Migrate the change is in your next revision.
    """
    from .migrations import running

    state = current_state()
    if "migrate" in flask.current_app.extensions:
        raise Failed(
            "This application has Flask-Migrate, which changes Janela's tables together with your "
            'own: flask db migrate -m "Upgrade Janela" && flask db upgrade. Where it lists '
            "Janela's revisions: flask db upgrade heads."
        )
    try:
        done = running.upgrade(state.db.engine, state.db.metadata)
    except JanelaError as error:
        raise Failed(error.message) from None
    if done.before == done.after:
        click.echo(f"Nothing to do: Janela's tables are at {done.after}.")
    else:
        click.echo(f"Janela's tables are at {done.after}; before: {done.before or 'not recorded'}.")


@janela.command("check")
def check() -> None:
    """Check every declaration, tools included, and say what may be asked."""
    state = current_state()
    try:
        catalogue = state.catalogue
        state.declared_tools()
    except JanelaError as error:
        raise Failed(error.message) from None
    if not catalogue.models:
        raise Failed("No model declares a vocabulary: write class Janela(Vocabulary) in one.")
    for bound in catalogue.models.values():
        click.echo(f"{bound.name} ({bound.model.__name__})")
        click.echo(f"  measures:   {', '.join(bound.measures) or 'none'}")
        click.echo(f"  dimensions: {', '.join(bound.dimensions) or 'none'}")
    click.echo("All declarations can work.")


@janela.command("ask")
@click.argument("model")
@click.argument("measure")
@click.option("--by", metavar="DIMENSION", help="Split the number by a dimension.")
@click.option(
    "--where",
    "filters",
    multiple=True,
    metavar="KEY=VALUE",
    help="A filter, such as airline='Delta Air Lines Inc.' or scheduled.gte=2013-06-01.",
)
@click.option(
    "--granularity",
    type=click.Choice(GRANULARITIES),
    help="The interval of a time dimension.",
)
@click.option("--limit", type=int, help="The most members to show.")
@click.option("--order", help="value, -value, label or natural.")
@click.option("--other", is_flag=True, help='One row "Other" for the members beyond the limit.')
@click.option("--with", "companions", multiple=True, metavar="MEASURE", help="A further column.")
@click.option("--as", "reference", metavar="REF", help="On whose behalf, such as user:42.")
@click.option("--anonymous", is_flag=True, help="On nobody's behalf; the scope is given None.")
@click.option("--json", "as_json", is_flag=True, help="The whole answer as JSON.")
def ask(
    model: str,
    measure: str,
    by: str | None,
    filters: tuple[str, ...],
    reference: str | None,
    anonymous: bool,
    as_json: bool,
    **options: t.Any,
) -> None:
    """Answer a question, as the caller that --as names may see it."""
    from .query.asking import answer

    if bool(reference) == anonymous:
        raise click.UsageError("Say who asks, with --as user:42, or --anonymous for nobody.")
    state = current_state()
    try:
        caller = load_caller(reference, state.hooks) if reference else None
        options |= {"model": model, "measure": measure, "dimension": by}
        result = answer(state.reader(caller), options, _filters(filters))
    except JanelaError as error:
        raise Failed(error.message) from None
    if as_json:
        click.echo(json.dumps(result.as_dict(), ensure_ascii=False, indent=2))
    else:
        click.echo(_table(result))


@janela.command("prune")
def prune() -> None:
    """Delete what is older than the configuration keeps: calls and usage, removed frames and panes.

    Processes that record calls delete old calls and usage by themselves, every hour.
    """
    from .frames.models import now
    from .frames.pruning import prune_removed
    from .roster import retention

    state = current_state()
    done = retention.prune(state.db.engine, state.config, _holder())
    if not done.held:
        raise Failed("Another process is folding at this moment. Try again in a minute.")
    removed = prune_removed(state.db.engine, now() - dt.timedelta(days=state.config.removed_days))
    click.echo(
        f"Deleted {done.calls:,} calls, {done.hours:,} rows of hours and {done.days:,} of days, "
        f"{removed.frames:,} removed frames and {removed.panes:,} panes."
    )


@janela.command("forget")
@click.argument("reference", metavar="REF")
def forget(reference: str) -> None:
    """Blank a caller, such as user:42, wherever Janela keeps their reference.

    Their calls stay and count as before; their stars go, and frames no longer name them.
    """
    from .roster import retention

    calls = retention.forget(current_state().db.engine, reference)
    click.echo(f"{printable(reference)} is blanked in {calls:,} calls.")


@janela.command("traffic")
@click.option("--calls", type=click.IntRange(1), default=20_000, show_default=True)
@click.option("--days", type=click.IntRange(1), default=30, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, help="Other ones: other calls.")
def traffic(calls: int, days: int, seed: int) -> None:
    """Generate believable calls of tools that nobody made, for demonstrations.

    Each is marked, and the roster says so. Refused where real calls are kept.
    """
    from .roster.folding import fold
    from .roster.traffic import add_traffic, generated

    state = current_state()
    if days > state.config.calls_days:
        raise click.UsageError(
            f"Calls are kept for {state.config.calls_days} days (JANELA_CALLS_DAYS); use that "
            "many, or fewer."
        )
    made = generated(state.declared_tools(), calls=calls, days=days, now=state.now(), seed=seed)
    try:
        with click.progressbar(length=calls, label="Generating calls") as bar:
            add_traffic(state.db.engine, made, advance=bar.update)
    except JanelaError as error:
        raise Failed(error.message) from None
    fold(state.db.engine, _holder(), grace=0)
    click.echo(f"Generated {calls:,} calls over {days} days, each marked as generated.")


def _holder() -> str:
    return f"command:{secrets.token_hex(6)}"


def _filters(given: tuple[str, ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not equals:
            raise click.BadParameter(f"{each!r} is not KEY=VALUE", param_hint="--where")
        found.setdefault(key, []).append(value)
    return found


def _table(result: Result) -> str:
    """The answer as lined-up text: labels left, numbers right."""
    heads = [
        result.dimension.label if result.dimension else "",
        result.measure.label,
        *(column.label for column in result.columns),
    ]
    rows = [*result.rows, *([result.undated_row] if result.undated_row else []), result.total_row]
    cells = ([r.label, r.formatted, *(c.formatted for c in r.companions)] for r in rows)
    lines = [[_plain(cell) for cell in line] for line in (heads, *cells)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(heads))]
    text = [
        "  ".join(
            [line[0].ljust(widths[0])]
            + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        ).rstrip()
        for line in lines
    ]
    if result.truncated:
        shown = sum(not row.is_other for row in result.rows)
        text.append(f"Only the first {shown} members are shown.")
    return "\n".join(text)


def _plain(cell: str) -> str:
    """A cell for a terminal; the spaces that locales put into numbers are no control characters."""
    return printable(cell.replace("\u00a0", " ").replace("\u202f", " ").replace("\u2009", " "))
