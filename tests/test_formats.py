"""Numbers as a reader of each locale expects them."""

from __future__ import annotations

import datetime as dt
import decimal
import typing as t

import babel
import pytest

from flask_janela.vocabulary.formats import Format

D = decimal.Decimal


@pytest.mark.parametrize(
    ("locale", "format_", "value", "text"),
    [
        ("en_US", Format(0), 1234567, "1,234,567"),
        ("de", Format(0), 1234567, "1.234.567"),
        ("pt_PT", Format(1), 1234567.25, "1\u00a0234\u00a0567,2"),
        ("fr", Format(2), 1234567.25, "1\u202f234\u202f567,25"),
        ("de_CH", Format(1), -1234567.25, "-1'234'567.2"),
        ("en_CH", Format(0), 1234, "1'234"),
        ("hi_IN", Format(0), 1234567, "12,34,567"),
        ("hi_IN", Format(1), -123456789.5, "-12,34,56,789.5"),
        ("en_US", Format(1, percent=True), 0.2235, "22.4%"),
        ("de", Format(1, percent=True), D("0.5"), "50,0\u00a0%"),
        ("en_US", Format(1, suffix=" min"), 12.64, "12.6 min"),
        ("en_US", Format(2, currency="USD"), D("-1234.5"), "-$1,234.50"),
        ("de", Format(2, currency="EUR"), D("-1234.5"), "-1.234,50\u00a0€"),
        ("en_US", Format(0, prefix="~"), -5, "-~5"),
        ("en_US", Format(1), -0.04, "0.0"),
        ("en_US", Format(2), 0.125, "0.12"),
        ("en_US", Format(2), D("0.135"), "0.14"),
        ("en_US", Format(0), 2**70, "1,180,591,620,717,411,303,424"),
        ("en_US", Format(2), D("12345678901234567890123456789.99"),
         "12,345,678,901,234,567,890,123,456,789.99"),
        ("en_US", Format(3), 1e-30, "0.000"),
        ("en_US", Format(2, currency="USD"), None, "—"),
        ("en_US", Format(1, percent=True), None, "—"),
        ("en_US", Format(), dt.date(2013, 7, 4), "Jul 4, 2013"),
        ("pt_PT", Format(), dt.date(2013, 7, 4), "04/07/2013"),
    ],
)  # fmt: skip
def test_a_value_is_written_for_its_reader(
    locale: str, format_: Format, value: t.Any, text: str
) -> None:
    """Half to even, the sign before the symbol, null as a dash and never as 0."""
    assert format_.write(value, babel.Locale.parse(locale)) == text


def test_the_parts_tell_the_number_from_its_unit() -> None:
    """A page shows the unit smaller."""
    assert Format(1, percent=True).parts(0.223, babel.Locale("en")) == ("", "22.3", "%")
    assert Format(0, suffix=" mi").parts(5, babel.Locale("en")) == ("", "5", " mi")
    assert Format(1, percent=True).unit == "%"
    assert Format(0, suffix=" mi").unit == "mi"
    assert Format(0, currency="USD").unit == "USD"
