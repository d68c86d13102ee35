"""The ``JANELA_*`` keys of a Flask application's configuration, read once by ``init_app``."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import json
import math
import typing as t
import zoneinfo

import babel

from .errors import JanelaError, listed, quoted

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

Recording = t.Literal["queue", "direct", "off"]

CHECKS = (
    "unknown-setting",
    "unreachable-database",
    "missing-tables",
    "missing-columns",
    "broken-declarations",
    "nothing-declared",
    "no-scope",
    "scope-raises",
    "scope-returns-wrong-thing",
    "no-authentication",
    "hook-raises",
    "no-owner-hook",
    "pages-nobody-may-open",
    "roster-nobody-may-see",
    "undeclared-rows",
    "slow-filters",
    "time-zone-tables",
    "recorder-losing-calls",
    "not-checked",
)
"""What ``flask janela doctor`` looks at, by the names that ``JANELA_SILENCED_CHECKS`` knows."""

LEAST_DAYS = {"calls_days": 1, "hours_days": 15, "days_days": 61, "removed_days": 1}
"""The roster's windows, and those before them, need so many days; who removes, one to undo it."""


class ConfigurationError(JanelaError):
    """A ``JANELA_*`` key with a value that cannot be used."""

    code = "configuration"


@dataclasses.dataclass(frozen=True, slots=True)
class Config:
    """The settings of one application.

    Attributes:
        url_prefix: where the blueprint's pages are, ``JANELA_URL_PREFIX``.
        timezone: the report zone for time buckets and ranges, ``JANELA_TIMEZONE``.
        week_start: 0 for Monday to 6 for Sunday, ``JANELA_WEEK_START``: a weekday's name, or
            ``locale`` for the one of ``JANELA_LOCALE``. The same for every reader: weeks are part
            of what numbers mean.
        locale: how numbers and dates are written, ``JANELA_LOCALE``.
        base_template: the template every page extends, ``JANELA_BASE_TEMPLATE``.
        render_seconds: how long a whole page may draw panes before the rest load themselves,
            ``JANELA_RENDER_SECONDS``.
        statement_seconds: how long one statement may take, ``JANELA_STATEMENT_SECONDS``; 0 for
            as long as it likes.
        htmx: the address of the htmx that pages load, ``JANELA_HTMX``; None for the vendored
            one, "" where the base template loads htmx itself.
        tool_bytes: how long a tool's answer may be, ``JANELA_TOOL_BYTES``.
        reserved_arguments: names that would say who is asking: taken out of every tool's
            arguments, ``JANELA_RESERVED_ARGUMENTS``.
        recorder: how calls of tools are kept, ``JANELA_RECORDER``: ``queue`` writes them aside,
            ``direct`` in the call itself, ``off`` not at all.
        calls_days, hours_days, days_days: for how many days single calls, and what they came to
            by hour and by day, are kept; ``JANELA_CALLS_DAYS`` and so on.
        removed_days: for how many days removed frames and panes can be brought back before
            ``flask janela prune`` deletes them, ``JANELA_REMOVED_DAYS``.
        silenced_checks: what ``flask janela doctor`` keeps to itself, ``JANELA_SILENCED_CHECKS``:
            names out of ``CHECKS``.
    """

    url_prefix: str = "/janela"
    timezone: zoneinfo.ZoneInfo = dataclasses.field(
        default_factory=lambda: zoneinfo.ZoneInfo("UTC")
    )
    week_start: int = 0
    locale: babel.Locale = dataclasses.field(default_factory=lambda: babel.Locale("en", "US"))
    base_template: str = "janela/base.html"
    render_seconds: float = 1.0
    statement_seconds: float = 30.0
    htmx: str | None = None
    tool_bytes: int = 48 * 1024
    reserved_arguments: frozenset[str] = frozenset({"actor", "caller", "current_user"})
    recorder: Recording = "queue"
    calls_days: int = 30
    hours_days: int = 60
    days_days: int = 400
    removed_days: int = 90
    silenced_checks: frozenset[str] = frozenset()

    @classmethod
    def read(cls, config: cabc.Mapping[str, t.Any]) -> Config:
        """Read the keys, refusing values that would only fail later."""
        given: dict[str, t.Any] = {}
        if (prefix := config.get("JANELA_URL_PREFIX")) is not None:
            if not isinstance(prefix, str) or (prefix and not prefix.startswith("/")):
                raise ConfigurationError(
                    f"JANELA_URL_PREFIX is {quoted(prefix)}: it must start with a slash."
                )
            given["url_prefix"] = prefix.rstrip("/")
        if (zone := config.get("JANELA_TIMEZONE")) is not None:
            given["timezone"] = timezone_named(zone, "JANELA_TIMEZONE")
        if (locale := config.get("JANELA_LOCALE")) is not None:
            given["locale"] = locale_named(locale, "JANELA_LOCALE")
        if (day := config.get("JANELA_WEEK_START")) is not None:
            given["week_start"] = _week_start(str(day).lower(), given.get("locale"))
        if (template := config.get("JANELA_BASE_TEMPLATE")) is not None:
            given["base_template"] = template
        if (seconds := config.get("JANELA_RENDER_SECONDS")) is not None:
            given["render_seconds"] = _seconds(seconds, "JANELA_RENDER_SECONDS")
        if (seconds := config.get("JANELA_STATEMENT_SECONDS")) is not None:
            given["statement_seconds"] = _seconds(seconds, "JANELA_STATEMENT_SECONDS")
        if (htmx := config.get("JANELA_HTMX")) is not None:
            if not isinstance(htmx, str):
                raise ConfigurationError(
                    f"JANELA_HTMX is {quoted(htmx)}: use the address of a script, or nothing "
                    '("") where the base template loads htmx.'
                )
            given["htmx"] = htmx
        if (most := config.get("JANELA_TOOL_BYTES")) is not None:
            if isinstance(most, bool) or not isinstance(most, int) or most < _LEAST_BYTES:
                raise ConfigurationError(
                    f"JANELA_TOOL_BYTES is {quoted(most)}: use a whole number, {_LEAST_BYTES} or "
                    "more."
                )
            given["tool_bytes"] = most
        if (names := config.get("JANELA_RESERVED_ARGUMENTS")) is not None:
            given["reserved_arguments"] = _names(
                names, "JANELA_RESERVED_ARGUMENTS", ["actor", "caller", "current_user"]
            )
        if (names := config.get(key := "JANELA_SILENCED_CHECKS")) is not None:
            silenced = _names(names, key, ["no-owner-hook", "slow-filters"])
            if unknown := sorted(silenced - set(CHECKS)):
                raise ConfigurationError(
                    f"{key} names {quoted(unknown[0])}, which is no check; there is "
                    f"{listed(CHECKS)}."
                )
            given["silenced_checks"] = silenced
        if (recorder := config.get("JANELA_RECORDER")) is not None:
            if recorder not in t.get_args(Recording):
                raise ConfigurationError(
                    f"JANELA_RECORDER is {quoted(recorder)}: use one of "
                    f"{listed(t.get_args(Recording))}."
                )
            given["recorder"] = recorder
        for name, least in LEAST_DAYS.items():
            if (days := config.get(key := f"JANELA_{name.upper()}")) is not None:
                given[name] = _days(days, key, least)
        return cls(**given)


_LEAST_BYTES = 4096


def _week_start(day: str, locale: babel.Locale | None) -> int:
    if day == "locale" and locale is not None:
        return int(locale.first_week_day)
    if day not in WEEKDAYS:
        raise ConfigurationError(
            f'JANELA_WEEK_START is {quoted(day)}: use one of {listed(WEEKDAYS)}, or "locale" '
            "beside a JANELA_LOCALE."
        )
    return WEEKDAYS.index(day)


def _names(value: object, key: str, example: list[str]) -> frozenset[str]:
    if not isinstance(value, list | tuple | set | frozenset) or not all(
        isinstance(each, str) and each for each in value
    ):
        raise ConfigurationError(
            f"{key} is {quoted(value)}: use a list of names, such as {json.dumps(example)}."
        )
    return frozenset(value)


def _days(value: object, key: str, least: int) -> int:
    try:
        days = int(t.cast("t.Any", value))
    except (TypeError, ValueError, OverflowError):
        days = 0
    if isinstance(value, bool) or str(value).strip() != str(days) or not least <= days <= 36500:
        raise ConfigurationError(
            f"{key} is {quoted(value)}: use a whole number of days, {least} or more."
        )
    return days


def _seconds(value: object, key: str) -> float:
    try:
        seconds = float(t.cast("t.Any", value))
    except (TypeError, ValueError):
        seconds = -1.0
    if isinstance(value, bool) or not 0 <= seconds < math.inf:
        raise ConfigurationError(f"{key} is {quoted(value)}: use a number of seconds, 0 or more.")
    return seconds


def timezone_named(name: object, source: str) -> zoneinfo.ZoneInfo:
    """The zone of an IANA name, or the zone itself."""
    if isinstance(name, zoneinfo.ZoneInfo):
        return name
    try:
        return zoneinfo.ZoneInfo(str(name))
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ConfigurationError(
            f'{source} is {quoted(name)}: use an IANA time zone such as "Europe/Lisbon".'
        ) from error


def locale_named(name: object, source: str) -> babel.Locale:
    """The Babel locale of a name such as ``pt_PT`` or ``pt-PT``, or the locale itself."""
    if isinstance(name, babel.Locale):
        return name
    try:
        return babel.Locale.parse(str(name).replace("-", "_"))
    except (babel.UnknownLocaleError, ValueError) as error:
        raise ConfigurationError(
            f'{source} is {quoted(name)}: use a locale such as "en_US" or "pt_PT".'
        ) from error
