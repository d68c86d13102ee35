"""What can go wrong, by what the person who meets it can do about it.

Every error has a ``code`` that never changes and a message that says what was wrong, what was
given and what is allowed. ``status`` is the HTTP status a page answers with.
"""

from __future__ import annotations

import collections.abc as cabc
import math

from .words import joined, say, say_many


class JanelaError(Exception):
    """The parent of every error that Janela raises on purpose.

    Its message is English; where it is words (see :mod:`.words`), a page says it in its reader's
    language.
    """

    code: str = "failed"
    status: int = 500

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def as_dict(self) -> dict[str, str | int]:
        """What a program or a model is told of it."""
        return {"code": self.code, "message": str(self.message)}


class DeclarationError(JanelaError):
    """What is declared and cannot work, found at start-up: model, member and the way to mend it.

    Attributes:
        faults: a sentence for each; the message has them all.
    """

    code = "declaration"

    def __init__(self, message: str, faults: cabc.Sequence[str] = ()) -> None:
        super().__init__(message)
        self.faults = tuple(faults) or (message,)

    @classmethod
    def of(cls, faults: cabc.Sequence[str]) -> DeclarationError:
        """Several faults as one error, each on a line of its own."""
        lines = "\n".join(f"- {fault}" for fault in faults)
        return cls(f"{len(faults)} declarations cannot work:\n{lines}", faults)


class Unscoped(JanelaError):
    """Nothing says what this caller may read. A fault of the set-up, never swallowed."""

    code = "unscoped"


class HookError(JanelaError):
    """A function of the host's answered what it may not. A fault of the set-up, never swallowed."""

    code = "hook"


class NotFound(JanelaError):
    """No such thing for this caller: absent, out of scope and forbidden are told the same way."""

    code = "not_found"
    status = 404


class BadRequest(JanelaError):
    """A question that cannot be answered as it was put."""

    code = "invalid"
    status = 400


class Unauthenticated(JanelaError):
    """Nobody is signed in."""

    code = "unauthenticated"
    status = 401


class CallerGone(Unauthenticated):
    """The person a reference names no longer exists or is no longer active."""

    code = "caller_gone"


class Refused(JanelaError):
    """The caller is known and may not do this."""

    code = "refused"
    status = 403


class Conflict(JanelaError):
    """Somebody else changed it meanwhile."""

    code = "conflict"
    status = 409


class RateLimited(JanelaError):
    """The caller asks too often and may ask again after ``retry_after`` seconds.

    For a host to raise from ``@janela.before_tool``, which knows who calls; Janela counts nothing
    by itself::

        @janela.before_tool()
        def not_too_often(caller, tool, arguments):
            wait = limiter.seconds_until_free(caller.id)
            if wait:
                raise RateLimited(wait)

    Whoever called is told when to ask again, the roster keeps the outcome ``rate_limited``, and a
    page answers 429 with ``Retry-After``. Werkzeug's ``TooManyRequests``, and with it what
    Flask-Limiter raises, means the same.
    """

    code = "rate_limited"
    status = 429

    def __init__(self, retry_after: float | None = None, message: str | None = None) -> None:
        known = retry_after is not None and math.isfinite(retry_after)
        # In whole seconds, at least one: who comes back early is refused again.
        self.retry_after = max(math.ceil(retry_after or 0), 1) if known else None
        super().__init__(message or say("You ask too often. {when}", when=self._when()))

    def as_dict(self) -> dict[str, str | int]:
        wait = {} if self.retry_after is None else {"retry_after": self.retry_after}
        return {**super().as_dict(), **wait}

    def _when(self) -> str:
        if self.retry_after is None:
            return say("Wait a while before asking again.")
        return say_many("Ask again in {n} second.", "Ask again in {n} seconds.", self.retry_after)


class TooLarge(JanelaError):
    """More was sent than a page takes. Nothing was changed."""

    code = "too_large"
    status = 413


class Failed(JanelaError):
    """A tool broke down. The log has what happened, under the id that the message names."""


class Overrun(Failed):
    """The database was given all the time there is for one statement, and was not done."""

    code = "failed"
    status = 503

    def __init__(self, seconds: float) -> None:
        super().__init__(
            say(
                "The database was not done after {seconds:g} seconds. Ask for less: filter a "
                "shorter range or fewer members, or split by something coarser.",
                seconds=seconds,
            )
        )


class Unavailable(Failed):
    """The database cannot be reached at this moment. Nothing was changed."""

    code = "failed"
    status = 503

    def __init__(self) -> None:
        super().__init__(
            say("The database cannot be reached at this moment. Try again in a while.")
        )


def unusable(name: str, given: object, use: str) -> BadRequest:
    """What was given for something, and what to use instead."""
    return BadRequest(say("{name} is {given}: use {use}", name=name, given=quoted(given), use=use))


def quoted(value: object) -> str:
    """A value that somebody gave, cut and quoted so that an error stays one readable line."""
    try:
        text = str(value)
    except (ValueError, RecursionError):
        # Python writes no number of more than 4,300 digits, and nothing nested as deep.
        text = f"a very long {type(value).__name__}"
    shown = text if len(text) <= 60 else f"{text[:57]}..."
    return f'"{printable(shown)}"'


def printable(text: str) -> str:
    """A text with every control character made visible, safe for a terminal and a log."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def listed(names: cabc.Iterable[object], *, most: int = 40) -> str:
    """``a, b, c`` for the end of an error message; "nothing" when there are none."""
    texts = [name if isinstance(name, str) else str(name) for name in names]
    if len(texts) > most:
        texts = [*texts[:most], say("and {n} more", n=len(texts) - most)]
    return joined(", ", texts) or say("nothing")
