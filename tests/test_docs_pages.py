"""``declaring.md``, ``scope.md`` and ``pages.md`` are true: their code runs, and does what they say."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import re
import shlex
import typing as t
from pathlib import Path

import flask_login
import pytest
from documents import ROOT, Space, blocks, run, shop

from flask_janela import NotFound


def text_of(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


@pytest.fixture
def space(tmp_path: Path) -> cabc.Iterator[Space]:
    """The names of the README's blocks, and two people of the north: Ana and her boss."""
    with shop(tmp_path) as space:
        session, user = space["db"].session, space["User"]
        session.add(user(id=2, name="Rui", team="north", is_boss=True))
        session.commit()
        space["ana"], space["rui"] = session.get(user, 1), session.get(user, 2)
        yield space


@pytest.fixture
def declared(space: Space) -> Space:
    """And those of the page on declaring, over three tickets and a lawsuit."""
    run("docs/declaring.md", space)
    space["db"].create_all()
    ticket, priority = space["Ticket"], space["Priority"]
    for minutes, high, day in ((30, True, 5), (90, False, 6), (None, False, 20)):
        space["db"].session.add(
            ticket(
                team="north",
                priority=priority.HIGH if high else priority.LOW,
                open=minutes == 90,
                minutes=minutes,
                cost="1.50",
                day=dt.date(2026, 1, day),
                opened_at=dt.datetime(2026, 1, day, 12),
                customer_id=1 if high else None,
            )
        )
    for kind in ("Complaint", "Lawsuit"):
        space["db"].session.add(space[kind](team="north", cost=7))
    space["db"].session.add(space["Payslip"](team="north", amount=100))
    space["db"].session.commit()
    return space


@pytest.mark.parametrize(
    ("measure", "written"),
    [
        ("tickets", "3"),
        ("answered", "2"),
        ("urgent", "1"),
        ("customers", "1"),
        ("cost", "€4.50"),
        ("hours", "2.0 h"),
        ("average_minutes", "60.0 min"),
        ("quickest", "30 min"),
        ("newest", "Jan 20, 2026, 12:00:00\u202fPM"),
        ("late", "50.0%"),
        ("cost_per_ticket", "€1.50"),
        ("urgent_share", "33.3%"),
    ],
)
def test_every_measure_of_the_example(declared: Space, measure: str, written: str) -> None:
    """As they are reckoned by hand from the three tickets."""
    result = declared["janela"].ask("tickets", measure, caller=declared["rui"])
    assert result.total_row.formatted == written


def test_the_dimensions_of_the_example(declared: Space) -> None:
    """Labels, natural order, the group of none, and weeks that are filled."""
    ask, rui = declared["janela"].ask, declared["rui"]
    by = ask("tickets", "tickets", by="priority", order="natural", caller=rui)
    assert [(row.label, row.value) for row in by.rows] == [("At once", 1), ("Low", 2)]
    by = ask("tickets", "tickets", by="region", caller=rui)
    assert [(row.label, row.value) for row in by.rows] == [("(none)", 2), ("EU", 1)]
    granularity, weeks = declared["by_week"](rui)
    assert granularity == "week"
    assert [value for _, value in weeks] == [2, 0, 1]
    assert declared["late_ones"](rui) == (1, [90])


def test_names_that_some_callers_do_not_have(declared: Space) -> None:
    """Hidden ones read as those that nobody declared, and tools do not know ``agents=False``."""
    janela, ana, rui = (declared[name] for name in ("janela", "ana", "rui"))
    assert float(janela.ask("payslips", "paid", caller=rui).total) == 100
    said = []
    for name in ("paid", "nobody"):
        with pytest.raises(NotFound) as raised:
            janela.ask("payslips", name, caller=ana)
        said.append(raised.value.message.replace(name, "…"))
    assert said[0] == said[1]
    told = janela.tools_for(rui).call("describe_vocabulary", {"model": "payslips"})
    assert "paid" in str(told)
    assert "largest" not in str(told)


def test_descriptions_and_inheritance(declared: Space) -> None:
    ask, rui = declared["janela"].ask, declared["rui"]
    assert ask("customers", "customers", caller=rui).total == 1
    assert ask("complaints", "complaints", caller=rui).total == 2
    assert ask("lawsuits", "lawsuits", caller=rui).total == 1
    with pytest.raises(NotFound):
        ask("lawsuits", "complaints", caller=rui)


@pytest.mark.parametrize("document", ["docs/declaring.md", "docs/scope.md", "docs/pages.md"])
def test_the_commands_that_are_shown_run(declared: Space, document: str) -> None:
    """Each as it stands, in the shop."""
    runner = declared["app"].test_cli_runner()
    for line in "".join(blocks(document, "console")).splitlines():
        words = shlex.split(line)
        assert words[0] == "flask"
        done = runner.invoke(args=words[1:])
        assert done.exit_code == 0, f"{line}: {done.output}"
