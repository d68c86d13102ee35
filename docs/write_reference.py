"""Writes the pages of the reference that the code itself can tell: the commands and the tools.

``python docs/write_reference.py`` writes them anew; a test holds them against the code.
"""

from __future__ import annotations

import collections.abc as cabc
import json
import typing as t
from pathlib import Path

import click
import flask
import sqlalchemy as sa
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy.orm import mapped_column

from flask_janela import Count, Janela, Records, Tool, Vocabulary
from flask_janela.cli import janela as commands

FOLDER = Path(__file__).parent / "reference"
WRITTEN = "<!-- Written by docs/write_reference.py: change the code, then run that. -->\n\n"


def pages() -> dict[str, str]:
    """Each page that is written, by the name of its file."""
    return {"commands.md": _commands(), "tools.md": _tools()}


def _table(heads: cabc.Sequence[str], rows: cabc.Iterable[cabc.Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


# Commands


def _commands() -> str:
    parts = [
        WRITTEN,
        "# Commands\n\n",
        "Each is a command of `flask janela`. A mistake in what was asked is one sentence on\n"
        "standard error and exit status 1; wrong options are status 2. `--as user:42` names the\n"
        "person on whose behalf a command reads, as\n"
        "[`caller_ref`](../scope.md#references-that-travel) writes them.\n",
    ]
    for name, command in sorted(commands.commands.items()):
        parts.append(f"\n## flask janela {name}\n\n{_help(command)}\n")
        parameters = [_parameter(each) for each in command.params]
        if parameters:
            parts.append("\n" + _table(("argument or option", ""), parameters))
    return "".join(parts)


def _help(command: click.Command) -> str:
    return "\n\n".join(
        _sentence(" ".join(part.split())) for part in (command.help or "").strip().split("\n\n")
    )


def _sentence(text: str) -> str:
    return text.replace("--as", "`--as`")


def _parameter(given: click.Parameter) -> tuple[str, str]:
    if isinstance(given, click.Argument):
        name = given.metavar or (given.name or "").upper()
        return f"`{name}`", "required" if given.required else f"`{given.default}` when left out"
    option = t.cast("click.Option", given)
    kind = option.metavar or option.type.name.removesuffix(" range").upper()
    value = "" if option.is_flag else f" {kind}"
    told = [option.help or ""]
    if option.multiple:
        told.append("May be given several times.")
    if option.show_default:
        told.append(f"{option.default} by default.")
    return f"`{option.opts[0]}{value}`", _cell(" ".join(filter(None, told)))


# Tools


def _tools() -> str:
    told = _definitions()
    parts = [
        WRITTEN,
        "# Tools\n\n",
        "What an agent is given; how is in [Tools for agents](../agents.md). Those that change\n"
        "something are there only with `write=True`. A model that declares `Records` adds three,\n"
        "named after it; here it is called `orders`. A name that no schema lists is refused.\n",
    ]
    for tool in told:
        does = "reads only" if tool.read_only else "changes something"
        more = [word for word in ("destructive", "idempotent") if getattr(tool, word)]
        marks = does if tool.read_only else ", ".join([does, *more])
        parts.append(f"\n## {tool.name}\n\n*{tool.title}; {marks}.* {_cell(tool.description)}\n")
        rows = list(_arguments(tool, told))
        if rows:
            parts.append("\n" + _table(("argument", "type", ""), rows))
    return "".join(parts)


def _arguments(tool: Tool, told: cabc.Sequence[Tool]) -> cabc.Iterator[tuple[str, str, str]]:
    described = next(each for each in told if each.name == "add_pane").input_schema["properties"]
    required = tool.input_schema.get("required", [])
    for name, schema in tool.input_schema["properties"].items():
        said = schema.get("description") or described.get(name, {}).get("description", "")
        words = [_cell(said).replace("{", "`{").replace("}", "}`")] if said else []
        if name in required:
            words.insert(0, "**required**")
        if "default" in schema:
            words.append(f"`{json.dumps(schema['default'])}` by default")
        yield f"`{name}`", _type(schema), "; ".join(words)


def _type(schema: cabc.Mapping[str, t.Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(f"`{each}`" for each in schema["enum"])
    if schema["type"] == "array":
        most = f", at most {schema['maxItems']}" if "maxItems" in schema else ""
        return f"list of {schema['items']['type']}s{most}"
    if schema["type"] == "object":
        return "object of lists of strings"
    bounds = [schema.get("minimum"), schema.get("maximum")]
    if bounds[1] is not None:
        return f"{schema['type']} from {bounds[0]} to {bounds[1]}"
    return schema["type"] if bounds[0] is None else f"{schema['type']}, {bounds[0]} or more"


def _definitions() -> list[Tool]:
    """The tools of a host with one model whose rows may be read."""
    app = flask.Flask("reference")
    app.config.update(SQLALCHEMY_DATABASE_URI="sqlite://", JANELA_RECORDER="off")
    db = SQLAlchemy(app)

    class Order(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "orders"
        id = mapped_column(sa.Integer, primary_key=True)

        class Janela(Vocabulary):
            orders = Count()
            rows = Records("id")

    janela = Janela(app, db)
    janela.scope(lambda model, caller: sa.select(model))
    with app.app_context():
        return janela.tool_definitions(write=True)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
