"""What became of a call, told in one place."""

from __future__ import annotations

import pytest
from werkzeug.exceptions import Forbidden, TooManyRequests, Unauthorized

from flask_janela import errors
from flask_janela.calls import OUTCOMES, RAN, outcome_of, redacted


class Denied(Exception):
    """A host's own refusal."""


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        pytest.param(None, "ok", id="nothing raised"),
        pytest.param(errors.BadRequest("no"), "invalid", id="bad request"),
        pytest.param(errors.NotFound("no"), "not_found", id="not found"),
        pytest.param(errors.Conflict("no"), "conflict", id="conflict"),
        pytest.param(errors.Refused("no"), "refused", id="refused"),
        pytest.param(errors.Unauthenticated("no"), "unauthenticated", id="nobody"),
        pytest.param(errors.CallerGone("no"), "caller_gone", id="gone"),
        pytest.param(errors.RateLimited(5), "rate_limited", id="too often"),
        pytest.param(TooManyRequests(), "rate_limited", id="werkzeug 429"),
        pytest.param(Forbidden(), "refused", id="werkzeug 403"),
        pytest.param(Unauthorized(), "unauthenticated", id="werkzeug 401"),
        pytest.param(Denied(), "refused", id="the host's refusal"),
        pytest.param(errors.Unscoped("no"), "failed", id="set-up"),
        pytest.param(KeyError("no"), "failed", id="crash"),
    ],
)
def test_an_error_has_one_outcome(error: Exception | None, outcome: str) -> None:
    assert outcome_of(error, (Denied,)) == outcome


def test_a_hosts_refusal_is_a_crash_until_it_is_named() -> None:
    assert outcome_of(Denied()) == "failed"


def test_there_are_nine_outcomes_and_four_of_them_ran() -> None:
    assert len(OUTCOMES) == 9
    assert {"ok", "failed", "not_found", "conflict"} == RAN


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ('"profit" is not a measure of flights', "… is not a measure of flights"),
        ("There is no frame 17.", "There is no frame …"),
        ('limit is "5000": use 1 to 1000', "limit is …: use … to …"),
        ('an open "quote goes to the end', "an open …"),
        ("two\nlines\x00and  spaces", "two lines�and spaces"),
        ("x" * 400, "x" * 299 + "…"),
    ],
)
def test_a_kept_message_has_no_value_in_it(message: str, kept: str) -> None:
    assert redacted(message) == kept
