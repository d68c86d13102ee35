"""``flask janela tools | call | skill``: what agents may do, done from a terminal."""

from __future__ import annotations

import json
import typing as t

import click
from flask.cli import with_appcontext

from .errors import JanelaError, printable
from .query.scope import require_scope
from .state import current_state
from .tools import Tools, definitions, tools_for, tools_for_ref

_as = click.option("--as", "reference", metavar="REF", help="On whose behalf, such as user:42.")
_write = click.option(
    "--write", is_flag=True, help="With the tools that change something among them."
)


class Failed(click.ClickException):
    """A Janela error as one sentence on standard error, exit status 1."""


@click.command("tools")
@with_appcontext
@_as
@_write
@click.option("--json", "as_json", is_flag=True, help="Names, descriptions and schemas as JSON.")
def tools(reference: str | None, write: bool, as_json: bool) -> None:
    """List the tools: all there are, or those of the caller that --as names."""
    try:
        if reference:
            listed = tools_for_ref(reference, write=write).all()
        else:
            listed = definitions(write=write)
    except JanelaError as error:
        raise Failed(error.message) from None
    if as_json:
        told = [
            {
                "name": tool.name,
                "title": tool.title,
                "description": tool.description,
                "input_schema": tool.input_schema,
                "output_schema": tool.output_schema,
                "read_only": tool.read_only,
            }
            for tool in listed
        ]
        click.echo(json.dumps(told, ensure_ascii=False, indent=2))
        return
    width = max((len(tool.name) for tool in listed), default=0)
    for tool in listed:
        kind = "read " if tool.read_only else "write"
        click.echo(f"{tool.name.ljust(width)}  {kind}  {tool.title}")


@click.command("call")
@with_appcontext
@click.argument("name")
@click.argument("arguments", default="{}")
@_as
@click.option("--anonymous", is_flag=True, help="On nobody's behalf; the scope is given None.")
@_write
def call(name: str, arguments: str, reference: str | None, anonymous: bool, write: bool) -> None:
    """Call a tool with ARGUMENTS, one JSON object, as the caller that --as names.

    The answer is printed as JSON. Exit status 1 and a sentence when there is none.
    """
    if bool(reference) == anonymous:
        raise click.UsageError("Say who calls, with --as user:42, or --anonymous for nobody.")
    try:
        json.loads(arguments)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"it is not JSON: {error}", param_hint="ARGUMENTS") from None
    try:
        answer = _tools(reference, write).through("cli").call(name, arguments)
    except JanelaError as error:
        raise Failed(f"{error.code}: {printable(error.message)}") from None
    click.echo(json.dumps(answer, ensure_ascii=False, indent=2))


def _tools(reference: str | None, write: bool) -> Tools:
    if reference:
        return tools_for_ref(reference, write=write)
    return tools_for(None, write=write, allow_anonymous=True)


@click.command("skill")
@with_appcontext
def skill() -> None:
    """Print a skill file for agents (Markdown): how to use this application's tools well."""
    from .tools.skill import skill as skill_of

    try:
        require_scope(current_state().hooks.scope)
        told = skill_of(definitions(write=True))
    except JanelaError as error:
        raise Failed(error.message) from None
    click.echo(told, nl=False)


COMMANDS: tuple[t.Any, ...] = (tools, call, skill)
