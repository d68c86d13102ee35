"""The roster for programs: ``tools.json``, and ``tools.csv`` for spreadsheets."""

from __future__ import annotations

import csv
import datetime as dt
import io
import typing as t

import flask
from flask.typing import ResponseReturnValue

from ..query.reader import Reader
from ..roster.report import Latency, Line, Roster
from . import export
from .roster import read

SCHEMA_VERSION = 1

_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


def roster_json(reader: Reader) -> ResponseReturnValue:
    """The page as JSON. Where nothing was recorded yet figures are null, not 0."""
    return flask.jsonify(as_dict(read(reader)))


def as_dict(found: Roster) -> dict[str, t.Any]:
    """A roster as ``tools.json`` has it."""
    recording, totals = found.recording, found.totals
    known = recording.any
    figures = totals.figures
    return {
        "schema_version": SCHEMA_VERSION,
        "generated_at": _when(found.generated_at),
        "window": {
            "key": found.window.key,
            "start": _when(found.window.start),
            "end": _when(found.window.end),
        },
        "recording": {
            "since": _when(recording.since),
            "dropped": recording.dropped,
            "healthy": recording.healthy,
        },
        "totals": {
            "tools": totals.tools,
            "calls": figures.calls if known else None,
            "errors": figures.errors if known else None,
            "error_rate": figures.error_rate,
            "refused": figures.refused if known else None,
            "invalid": figures.outcomes["invalid"] if known else None,
            "never_called": totals.never_called if known else None,
        },
        "groups": [
            {
                "key": group.key,
                "title": group.title,
                "tools": [_tool(line, known) for line in group.tools],
            }
            for group in found.groups
        ],
    }


def _tool(line: Line, known: bool) -> dict[str, t.Any]:
    figures = line.figures
    counts = {
        "calls": figures.calls,
        "ok": figures.outcomes["ok"],
        "errors": figures.errors,
        "error_rate": figures.error_rate,
        "refused": figures.refused,
        "invalid": figures.outcomes["invalid"],
        "not_found": figures.outcomes["not_found"],
        "forged": figures.forged,
    }
    error = figures.last_error
    return {
        "name": line.name,
        "title": line.title,
        "read_only": line.read_only,
        "status": line.status,
        **(counts if known else dict.fromkeys(counts)),
        "latency_ms": _latency(figures.latency),
        "last_called": _when(line.last_called),
        "last_error": None
        if error is None
        else {"at": _when(error.at), "outcome": "failed", "text": error.said},
        "trend": list(figures.trend) if known else None,
    }


def _latency(latency: Latency) -> dict[str, float | int | None]:
    return {
        "avg": _rounded(latency.average),
        "p50": _rounded(latency.p50),
        "p95": _rounded(latency.p95),
        "p99": _rounded(latency.p99),
        "max": _rounded(latency.most),
        "n": latency.n,
    }


def roster_csv(reader: Reader) -> ResponseReturnValue:
    """The page as comma-separated values, a line for each tool."""
    found = read(reader)
    response = flask.Response(_lines(found), mimetype="text/csv")
    name = f"Tools {found.window.key} {found.generated_at.date()}"
    response.headers["Content-Disposition"] = export.disposition(name)
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def _lines(found: Roster) -> str:
    text = io.StringIO()
    write = csv.writer(text)
    heads: list[str] = []
    lines = []
    for group in as_dict(found)["groups"]:
        for tool in group["tools"]:
            latency, error = tool.pop("latency_ms"), tool.pop("last_error") or {}
            trend = tool.pop("trend") or []
            row = {
                "group": group["title"],
                **tool,
                **{f"{name}_ms" if name != "n" else "ran": v for name, v in latency.items()},
                "last_error_at": error.get("at"),
                "last_error": error.get("text"),
                "trend": " ".join(str(count) for count in trend),
            }
            heads = heads or list(row)
            lines.append([_cell(value) for value in row.values()])
    write.writerow(heads)
    write.writerows(lines)
    return f"{_MARK}{text.getvalue()}"


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return export.text(str(value))


def _when(moment: dt.datetime | None) -> str | None:
    if moment is None:
        return None
    return moment.astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _rounded(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else round(milliseconds, 3)
