"""``flask janela doctor``: what is amiss with this application, and how it is mended."""

from __future__ import annotations

import json
import textwrap
import typing as t

import click
import flask
from flask.cli import with_appcontext

from .cli_agents import Failed
from .errors import JanelaError, printable

if t.TYPE_CHECKING:
    from .doctor import Finding, Report

_COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}


@click.command("doctor")
@click.option("--as", "reference", metavar="REF", help="On whose behalf to ask, such as user:42.")
@click.option("--json", "as_json", is_flag=True, help="The report as JSON.")
@with_appcontext
def doctor(reference: str | None, as_json: bool) -> None:
    """Do what Janela does here and say what is amiss, each with its fix. Nothing is changed.

    The scope is asked as nobody and as people that are found, or as the one that --as names. Exit
    status 1 when there are errors; warnings and notes leave it at 0. What is as you want it is
    silenced by its name: JANELA_SILENCED_CHECKS = ["no-owner-hook"].
    """
    from .doctor import examine

    app = t.cast("t.Any", flask.current_app)._get_current_object()
    try:
        report = examine(app, as_=reference)
    except JanelaError as error:
        raise Failed(printable(error.message)) from None
    if as_json:
        click.echo(json.dumps(report.as_dict(), ensure_ascii=False, indent=2))
    else:
        for finding in report.findings:
            click.echo(_told(finding))
        click.echo(_summary(report))
    if report.count("error"):
        raise click.exceptions.Exit(1)


def _told(finding: Finding) -> str:
    head = f"{click.style(finding.level, fg=_COLOURS[finding.level], bold=True)} {finding.name}"
    what = textwrap.fill(printable(finding.what), 96, break_long_words=False)
    fix = "\n".join(printable(line) for line in finding.fix.splitlines())
    return f"{head}\n{textwrap.indent(what, '  ')}\n{textwrap.indent(fix, '  → ')}\n"


def _summary(report: Report) -> str:
    errors, warnings = report.count("error"), report.count("warning")
    people = ", ".join(printable(each) for each in report.asked_as)
    asked = f"Asked as nobody{f' and as {people}' if people else ''}."
    left = f" Silenced: {', '.join(report.silenced)}." if report.silenced else ""
    if not errors and not warnings:
        return f"Nothing to fix. {asked}{left}"
    return f"{_many(errors, 'error')}, {_many(warnings, 'warning')}. {asked}{left}"


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
