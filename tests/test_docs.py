"""What the documentation shows is true: its code runs, and it names every setting and command."""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path

import flask_login
import pytest
import sqlalchemy as sa
from documents import ROOT, blocks, run, shop

from flask_janela import testing
from flask_janela.cli import janela as commands
from flask_janela.config import CHECKS, Config
from flask_janela.vocabulary.dimensions import OPERATORS

README = (ROOT / "README.md").read_text()


def test_the_first_ten_minutes_run(tmp_path: Path) -> None:
    """The README's own code, one block after another, ends with a frame and the right numbers."""
    with shop(tmp_path) as space:
        app, db, user = (space[name] for name in ("app", "db", "User"))
        space["arrange"]()
        rows, total = space["revenue_by_region"](db.session.get(user, 1))
        assert [(label, float(value), text) for label, value, text in rows] == [
            ("EU", 30.0, "€30.00")
        ]
        assert float(total) == 30.0
        tools = space["janela"].tools_for(db.session.get(user, 1), write=True)
        cancelled = tools.call("cancel", {"order_id": 1, "reason": "test", "actor": "user:2"})
        assert cancelled == {"order": 1, "status": "cancelled"}
        for order_id, code in ((3, "not_found"), (10**9, "not_found"), (10**30, "invalid")):
            answer = tools.run("cancel", {"order_id": order_id, "reason": "theirs"})
            assert answer["error"]["code"] == code
        assert space["make_server"](app).name == "janela"
        with app.test_request_context():
            flask_login.login_user(db.session.get(user, 1))
            asked = {"model": "orders", "measure": "revenue"}
            assert space["answer"]("read_measure", asked)["total"]["formatted"] == "€30.00"
        client = app.test_client()
        with client.session_transaction() as session:
            session["_user_id"] = "1"
        page = client.get("/janela/").text
        assert "Sales" in page


def test_the_commands_shown_exist() -> None:
    """Every command that the README names is there, and every one is named."""
    shown = set(re.findall(r"flask janela ([a-z]+)\b", README))
    assert shown == set(commands.commands)


def test_every_setting_is_in_the_readme() -> None:
    """One row of the table for each field of the configuration."""
    shown = set(re.findall(r"^\| `JANELA_([A-Z_]+)`", README, re.MULTILINE))
    assert shown == {field.name.upper() for field in dataclasses.fields(Config)}


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_operator_is_in_the_readme(operator: str) -> None:
    """In the table of filters."""
    table = README.split("## Filters")[1]
    assert f"`{operator}`" in table


def test_every_check_is_in_the_doctors_page() -> None:
    """One row of the table for each, in the order in which they are made."""
    page = (ROOT / "docs/doctor.md").read_text()
    assert tuple(re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE)) == CHECKS


def test_the_doctors_examples_run(tmp_path: Path) -> None:
    """In the README's shop, which has all but somebody who may see the roster."""
    with shop(tmp_path) as space:
        run("docs/doctor.md", space)
        well, names = space["is_well"](space["app"])
        assert well
        assert names == ["roster-nobody-may-see", "scope-raises"]
        assert Config.read(space["app"].config).silenced_checks == {"no-owner-hook", "slow-filters"}


def test_the_proofs_run(tmp_path: Path) -> None:
    """In the README's shop, with somebody of each team and a frame of one."""
    with shop(tmp_path) as space:
        db, user, order = (space[name] for name in ("db", "User", "Order"))
        ana, ben = db.session.get(user, 1), user(id=2, name="Ben", team="south")
        db.session.add(ben)
        space["arrange"]()
        run("docs/testing.md", space)
        shown = re.findall(r"^def (test_\w+)", "".join(blocks("docs/testing.md")), re.MULTILINE)
        assert len(shown) == 6
        for name in shown:
            space[name](*(() if "nobody" in name else (ana, ben)))
        cancelled = sa.select(sa.func.count()).where(order.status == "cancelled")
        assert db.session.scalar(cancelled) == 3
        ben.team = "north"
        db.session.commit()
        with pytest.raises(AssertionError, match="may read the same 2 rows of Order"):
            space[shown[0]](ana, ben)


def test_every_proof_and_argument_is_in_the_page() -> None:
    """By its name."""
    page = (ROOT / "docs/testing.md").read_text()
    for name in testing.__all__:
        assert name in page
    parameters = inspect.signature(testing.assert_scoped).parameters.values()
    named = {each.name for each in parameters if each.kind is each.KEYWORD_ONLY}
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == named


def test_links_lead_somewhere() -> None:
    """Every relative link and picture of the documents is a file here."""
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name}: {target}"
