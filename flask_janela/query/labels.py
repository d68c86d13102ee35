"""How buckets of time are written, and the exact order of an answer's rows."""

from __future__ import annotations

import datetime as dt
import typing as t

import babel
import babel.dates

from ..vocabulary.dimensions import Granularity


def bucket_label(key: dt.date, granularity: Granularity | None, locale: babel.Locale) -> str:
    """A bucket as people write it: "Jan 2013", "Q1 2013", "7 Jan 2013, 14:00"."""
    match granularity:
        case "hour":
            assert isinstance(key, dt.datetime)  # noqa: S101
            return (
                _skeleton(key, "yMMMd", locale)
                + ", "
                + babel.dates.format_time(
                    key.timetz(), "HH:mm", locale=locale, tzinfo=t.cast("t.Any", key.tzinfo)
                )
            )
        case "month":
            return _skeleton(key, "yMMM", locale)
        case "quarter":
            return _skeleton(key, "yQQQ", locale)
        case "year":
            return _skeleton(key, "y", locale)
        case _:
            return _skeleton(key, "yMMMd", locale)


def _skeleton(key: dt.date, skeleton: str, locale: babel.Locale) -> str:
    day = key.date() if isinstance(key, dt.datetime) else key
    pattern = locale.datetime_skeletons.get(skeleton)
    return babel.dates.format_date(day, pattern.pattern if pattern else "medium", locale=locale)
