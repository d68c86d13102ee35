"""Single rows: those behind a number, a page at a time, and one by its key."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import dataclasses
import datetime as dt
import decimal
import enum
import typing as t

import pytest
import sqlalchemy as sa
from databases import BYTES, ENGINE, EXACT, MOMENT
from hosts import Host, host, shop
from sqlalchemy.orm import Mapped, mapped_column, relationship
from test_scope import SHAPES, _rows, _stock

from flask_janela import (
    Average,
    BadRequest,
    Count,
    CountDistinct,
    DeclarationError,
    Dimension,
    NotFound,
    Ratio,
    Records,
    Share,
    Sum,
    TimeDimension,
    Unauthenticated,
    Unscoped,
    Vocabulary,
)
from flask_janela.query import filters, records
from flask_janela.query.filters import Layers
from flask_janela.query.record import Record, RecordPage
from flask_janela.query.result import Cell

IMAGE = "<img src=x onerror=alert(1)>"


class State(enum.Enum):
    WAITING = "w"
    ON_ITS_WAY = "o"


@dataclasses.dataclass(frozen=True)
class Line:
    """A row of the fixture, for plain loops."""

    id: int
    region: str | None
    note: str
    amount: decimal.Decimal
    minutes: int | None
    placed: dt.datetime | None
    state: State = State.WAITING


LINES = [
    Line(
        id=number,
        region=("EU", "US", None)[number % 3],
        note=(IMAGE, "", "=1+1", "plain")[number % 4],
        amount=decimal.Decimal(number) / 4,
        minutes=None if number % 5 == 0 else number - 10,
        placed=None if number % 7 == 0 else dt.datetime(2013, 1 + number % 12, 5, number % 24),
        state=State.ON_ITS_WAY if number % 2 else State.WAITING,
    )
    for number in range(1, 31)
]


def ledger(db: t.Any) -> dict[str, t.Any]:
    class Region(db.Model):  # type: ignore[name-defined,misc]
        code: Mapped[str] = mapped_column(primary_key=True)

    class Entry(db.Model):  # type: ignore[name-defined,misc]
        id: Mapped[int] = mapped_column(primary_key=True)
        region_code: Mapped[str | None] = mapped_column(sa.ForeignKey("region.code"))
        note: Mapped[str]
        amount: Mapped[t.Any] = mapped_column(sa.Numeric(10, 2))
        minutes: Mapped[int | None]
        placed_at: Mapped[dt.datetime | None]
        state: Mapped[State]
        region: Mapped[Region | None] = relationship()

        class Janela(Vocabulary, name="entries"):
            entries = Count()
            late = Count(where=lambda e: e.minutes > 5)
            timed = Count("minutes")
            notes = CountDistinct("note")
            revenue = Sum("amount", currency="USD")
            delay = Average("minutes", suffix=" min")
            late_share = Share(lambda e: e.minutes > 5)
            late_part = Ratio("late", "timed")
            profit = Sum("amount", visible_to=lambda caller: caller == "boss")

            region = Dimension("region.code", labels={"EU": "Europe"})
            note = Dimension()
            cost = Dimension("amount", visible_to=lambda caller: caller == "boss")
            placed = TimeDimension("placed_at", stored="America/New_York")

            rows = Records("placed_at", "region", "note", "minutes", "amount", "state", "id")

    class Note(db.Model):  # type: ignore[name-defined,misc]
        id: Mapped[int] = mapped_column(primary_key=True)

        class Janela(Vocabulary, name="notes"):
            notes = Count()

    return {"Region": Region, "Entry": Entry, "Note": Note}


@contextlib.contextmanager
def books(*, scoped: bool = True) -> cabc.Iterator[Host]:
    with host(ledger, scoped=scoped, JANELA_TIMEZONE="Europe/Lisbon") as made:
        made.add(*(made.models.Region(code=code) for code in ("EU", "US")))
        made.add(
            *(
                made.models.Entry(
                    id=line.id,
                    region_code=line.region,
                    note=line.note,
                    amount=line.amount,
                    minutes=line.minutes,
                    placed_at=line.placed,
                    state=line.state,
                )
                for line in LINES
            )
        )
        yield made


def find(h: Host, given: t.Any = None, *, caller: t.Any = "ana", **options: t.Any) -> RecordPage:
    return records.find(h.janela.reader(caller), "entries", given, **options)


def every(h: Host, given: t.Any = None, **options: t.Any) -> list[Record]:
    """All pages, one after the other."""
    page = find(h, given, limit=4, **options)
    rows = list(page.rows)
    while page.next is not None:
        page = find(h, given, limit=4, cursor=page.next, **options)
        rows += page.rows
    assert len(rows) == page.total
    return rows


def ids(rows: cabc.Iterable[Record]) -> list[int]:
    return [row.identity[0] for row in rows]


FILTERS: dict[str, tuple[dict[str, t.Any], cabc.Callable[[Line], bool]]] = {
    "everything": ({}, lambda e: True),
    "a member": ({"region": "EU"}, lambda e: e.region == "EU"),
    "the null group": ({"region.null": "1"}, lambda e: e.region is None),
    "members or unknown": ({"region": "US", "region.null": "1"}, lambda e: e.region != "EU"),
    "all others": ({"region.not": ["EU", "US"]}, lambda e: e.region is None),
    "the empty text": ({"note": ""}, lambda e: e.note == ""),
    "a hostile text": ({"note": IMAGE}, lambda e: e.note == IMAGE),
    "undated": ({"placed.null": "1"}, lambda e: e.placed is None),
    "a month": (
        {"placed.gte": "2013-03-01", "placed.lt": "2013-04-01"},
        lambda e: e.placed is not None and e.placed.month == 3,
    ),
    "nothing": ({"region": "nowhere"}, lambda e: False),
}


@pytest.mark.parametrize(("given", "holds"), FILTERS.values(), ids=FILTERS.keys())
def test_the_rows_are_those_of_a_loop_and_as_many_as_the_number(
    given: dict[str, t.Any], holds: cabc.Callable[[Line], bool]
) -> None:
    """Under every sort of filter, each once, in the order of their keys."""
    with books() as h:
        found = every(h, given)

        assert ids(found) == [line.id for line in LINES if holds(line)]
        assert len(found) == h.janela.ask("entries", "entries", caller="ana", filters=given).total
        assert records.count(h.janela.reader("ana"), "entries", given) == len(found)


MEASURES: dict[str, cabc.Callable[[Line], bool]] = {
    "entries": lambda e: True,
    "late": lambda e: e.minutes is not None and e.minutes > 5,
    "timed": lambda e: e.minutes is not None,
    "notes": lambda e: True,
    "revenue": lambda e: True,
    "delay": lambda e: e.minutes is not None,
    "late_share": lambda e: e.minutes is not None,
    "late_part": lambda e: e.minutes is not None,
}


@pytest.mark.parametrize(("measure", "counts"), MEASURES.items(), ids=MEASURES.keys())
def test_only_rows_that_count_into_the_measure_stand_behind_it(
    measure: str, counts: cabc.Callable[[Line], bool]
) -> None:
    """Its own condition holds and what it is taken over is known."""
    with books() as h:
        found = every(h, {"region": "EU"}, measure=measure)

        assert ids(found) == [e.id for e in LINES if e.region == "EU" and counts(e)]


def test_every_mark_of_an_answer_has_as_many_rows_as_its_number() -> None:
    """Members, the null group, intervals of time, and what has no time."""
    with books() as h:
        reader = h.janela.reader("ana")
        by_region = h.janela.ask("entries", "late", by="region", caller="ana")
        for row in by_region.rows:
            given = {"region.null": "1"} if row.key is None else {"region": row.key}
            assert records.count(reader, "entries", given, measure="late") == row.value
        by_month = h.janela.ask("entries", "late", by="placed", caller="ana")
        for row in by_month.rows:
            given = {"placed.gte": row.key, "placed.lt": row.until}
            assert records.count(reader, "entries", given, measure="late") == row.value
        undated = records.count(reader, "entries", {"placed.null": "1"}, measure="late")
        assert by_month.undated == undated


def test_other_has_the_rows_of_all_members_that_are_not_shown() -> None:
    """ "Other" is no value to filter by; its rows are asked for as none of the others."""
    with books() as h:
        result = h.janela.ask("entries", "entries", by="note", limit=2, other=True, caller="ana")
        shown = [row.key for row in result.rows if not row.is_other]
        other = next(row for row in result.rows if row.is_other)

        found = every(h, {"note.not": shown})

        assert ids(found) == [line.id for line in LINES if line.note not in shown]
        assert len(found) == other.value


def test_layers_all_narrow_and_say_what_they_cannot_reach() -> None:
    """A reader's filter narrows here also where a chart would only light a member up."""
    with books() as h:
        reader = h.janela.reader("ana")
        home = reader.model("entries")

        def layer(**given: t.Any) -> tuple[filters.Filter, ...]:
            return filters.parse(filters.pairs(given), reader.catalogue, "ana", [home])

        layers = Layers(frame=layer(region="EU"), pane=layer(note=IMAGE), reader=layer(note=""))
        both = Layers(frame=layer(region="EU"), reader=layer(note=IMAGE))

        assert records.find(reader, "entries", layers).total == 0
        assert ids(records.find(reader, "entries", both).rows) == [
            line.id for line in LINES if line.region == "EU" and line.note == IMAGE
        ]


def test_a_cell_is_typed_and_written_for_its_reader() -> None:
    """Times in the report zone, money as money, labels as declared, null as a dash."""
    with books() as h:
        h.janela.locale(lambda caller: "en_US")
        page = find(h, limit=15)
        row = page.rows[14]

        assert [column.name for column in page.columns] == [
            *("placed_at", "region", "note", "minutes", "state", "id")
        ]
        assert [column.label for column in page.columns] == [
            *("Placed at", "Region", "Note", "Minutes", "State", "Id")
        ]
        assert row.key == "15"
        placed, region, note, minutes, state, number = row.cells
        assert placed.value.isoformat() == "2013-04-05T20:00:00+01:00"
        assert placed.formatted == "Apr 5, 2013, 20:00"
        assert (region.value, region.formatted) == ("EU", "Europe")
        assert page.rows[1].cells[1] == Cell(None, "—")
        assert (note.value, note.formatted) == ("plain", "plain")
        assert (minutes.value, minutes.formatted) == (None, "—")
        assert (state.value, state.formatted) == (State.ON_ITS_WAY, "On its way")
        assert (number.value, number.formatted) == (15, "15")
        europe = page.rows[2]
        assert [cell.formatted for cell in europe.cells] == [
            *("Apr 5, 2013, 08:00", "Europe", "plain", "-7 min", "On its way", "3")
        ]
        assert page.rows[0].as_dict() == {
            "key": "1",
            "values": {
                "placed_at": "2013-02-05T06:00:00+00:00",
                "region": "US",
                "note": "",
                "minutes": -9,
                "state": "ON_ITS_WAY",
                "id": 1,
            },
        }


def test_a_column_exists_for_those_only_who_may_see_a_dimension_over_it() -> None:
    """``amount`` is named itself; the only dimension over it is for the boss."""
    with books() as h:
        shown = [column.name for column in find(h, caller="boss").columns]
        row = find(h, caller="boss", limit=1).rows[0]

        assert "amount" in shown
        assert "amount" not in [column.name for column in find(h).columns]
        assert row.cells[shown.index("amount")].value == decimal.Decimal("0.25")
        assert row.cells[shown.index("amount")].formatted == "$0.25"
        with pytest.raises(BadRequest, match="is not a dimension to filter by"):
            find(h, {"cost": "1"})
        with pytest.raises(NotFound, match="is not a measure"):
            find(h, measure="profit")


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_whatever_shape_a_scope_has_its_rows_are_listed_once(
    shape: cabc.Callable[[Host], t.Any],
) -> None:
    """The rows that the scope returns, and no others, one page after the other."""

    def define(db: t.Any) -> dict[str, t.Any]:
        models = shop(db)
        models["Order"].Janela.declarations["rows"] = Records("region", "quantity")
        return models

    with host(define, scoped=False) as h:
        _stock(h)
        h.janela.scope(lambda model, caller: shape(h))
        expected = {row.id: (row.customer.region, row.quantity) for row in _rows(h, shape(h))}
        reader = h.janela.reader("x")
        found: list[Record] = []
        cursor: str | None = None
        while True:
            page = records.find(reader, "orders", limit=2, cursor=cursor)
            found += page.rows
            cursor = page.next
            if cursor is None:
                break

        assert page.total == len(expected)
        assert ids(found) == sorted(expected)
        assert {row.identity[0]: tuple(c.value for c in row.cells) for row in found} == expected
        for number in range(1, 9):
            if number in expected:
                assert records.get(reader, "orders", number).identity == (number,)
            else:
                with pytest.raises(NotFound):
                    records.get(reader, "orders", number)


def test_a_scope_that_returns_nothing_gives_no_row() -> None:
    """Neither a page, nor a number, nor one row by its key, nor a file."""
    with books(scoped=False) as h:
        h.janela.scope(lambda model, caller: sa.select(model).where(sa.false()))
        page = find(h)

        assert (page.rows, page.total, page.before) == ((), 0, 0)
        assert (page.next, page.previous, page.truncated) == (None, None, False)
        assert list(records.stream(h.janela.reader("ana"), "entries")[1]) == []
        with pytest.raises(NotFound):
            records.get(h.janela.reader("ana"), "entries", "1")


def test_without_a_scope_nothing_is_read() -> None:
    """Not even a name is looked at; a scope that answers with something else raises as well."""
    with books(scoped=False) as h:
        with pytest.raises(Unscoped):
            h.janela.records("nonsense", caller="ana")
        h.janela.scope(lambda model, caller: None)
        for read in (records.find, records.count, records.stream):
            with pytest.raises(Unscoped, match="answered None"):
                read(h.janela.reader("ana"), "entries")
        with pytest.raises(Unscoped, match="answered None"):
            records.get(h.janela.reader("ana"), "entries", "1")


def test_a_row_out_of_scope_and_one_that_is_missing_are_the_same() -> None:
    """Byte for byte."""
    with books(scoped=False) as h:
        h.janela.scope(lambda model, caller: sa.select(model).where(model.id != 3))
        said = []
        for key in ("3", "3000"):
            with pytest.raises(NotFound) as raised:
                records.get(h.janela.reader("ana"), "entries", key)
            said.append(str(raised.value))

        assert said[0] == said[1] == "There is no such row of entries, or none that you may see."


def test_models_without_records_show_no_rows() -> None:
    """In words; and as if they were not there for who may see none of the columns."""
    with books() as h:
        for read in (records.find, records.count, records.stream):
            with pytest.raises(NotFound, match="Single rows of notes are not shown"):
                read(h.janela.reader("ana"), "notes")
        with pytest.raises(NotFound, match="Single rows of notes are not shown"):
            records.get(h.janela.reader("ana"), "notes", "1")
        reader = h.janela.reader("ana")
        assert records.are_shown(reader, reader.model("entries"))
        assert not records.are_shown(reader, reader.model("notes"))


def test_a_row_that_comes_or_goes_between_two_pages_moves_no_other() -> None:
    """Every old row comes exactly once, whatever was put before, between and behind."""
    with books() as h:
        entry = h.models.Entry
        first = find(h, limit=10)
        h.add(
            *(
                entry(id=number, note="new", amount=0, state=State.WAITING)
                for number in (-5, -1, 1000)
            )
        )
        h.db.session.delete(h.db.session.get(entry, 4))
        h.db.session.delete(h.db.session.get(entry, 10))  # the one that the cursor names
        h.db.session.commit()
        second = find(h, limit=30, cursor=first.next)

        assert ids(first.rows) == list(range(1, 11))
        assert ids(second.rows) == [*range(11, 31), 1000]
        back = find(h, limit=10, cursor=second.previous)
        assert ids(back.rows) == [-5, -1, 1, 2, 3, 5, 6, 7, 8, 9]


def test_pages_go_forward_and_back() -> None:
    """Each says how many come before it, and where it leads."""
    with books() as h:
        one = find(h, limit=12)
        two = find(h, limit=12, cursor=one.next)
        three = find(h, limit=12, cursor=two.next)

        assert [ids(page.rows)[0] for page in (one, two, three)] == [1, 13, 25]
        assert [page.before for page in (one, two, three)] == [0, 12, 24]
        assert [page.truncated for page in (one, two, three)] == [True, True, False]
        assert one.previous is None
        assert three.next is None
        assert find(h, limit=12, cursor=three.previous) == two
        assert find(h, limit=12, cursor=two.previous) == one


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"limit": 0}, "use a whole number from 1 to 100"),
        ({"limit": 101}, "use a whole number from 1 to 100"),
        ({"limit": True}, "use a whole number from 1 to 100"),
        ({"limit": "5"}, "use a whole number from 1 to 100"),
        ({"cursor": "7"}, 'cursor is "7": use the one that a page gave'),
        ({"cursor": "after."}, "use the one that a page gave"),
        ({"cursor": "after.1,2"}, "use the one that a page gave"),
        ({"cursor": "after.seven"}, "use the one that a page gave"),
        ({"cursor": "after.99999999999999999999"}, "use the one that a page gave"),
        ({"cursor": 7}, "use the one that a page gave"),
    ],
    ids=str,
)
def test_a_page_that_cannot_be_is_refused_in_words(options: dict[str, t.Any], said: str) -> None:
    """What was given, and what to give instead."""
    with books() as h, pytest.raises(BadRequest, match=said):
        find(h, **options)


@pytest.mark.parametrize("key", ["x", "", "1,2", "1.5", "%00", None, True, {}, [], [1, 2], "٣"])
def test_a_key_that_cannot_be_is_refused_in_words(key: t.Any) -> None:
    """It is no row that is missing."""
    with books() as h, pytest.raises(BadRequest, match="key is"):
        records.get(h.janela.reader("ana"), "entries", key)


@pytest.mark.parametrize("key", ["7", 7, (7,), ["7"]], ids=repr)
def test_a_key_may_be_given_typed(key: t.Any) -> None:
    """As it came in an answer, or as JSON has numbers."""
    with books() as h:
        assert records.get(h.janela.reader("ana"), "entries", key).identity == (7,)


class Hall(enum.Enum):
    GREAT = "g"
    SMALL = "s"


KEYS = sorted(
    (place, row, hall)
    for place in ("A", "a", "A,1", "A%2C1", "", "é", IMAGE, "%00")
    for row in (-1, 2, 10)
    for hall in ("GREAT", "SMALL")
)


def test_composite_keys_are_paged_through_and_found_whole() -> None:
    """Parts with commas, per cent signs and nothing in them are told apart."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Seat(db.Model):  # type: ignore[name-defined,misc]
            place: Mapped[str] = mapped_column(EXACT, primary_key=True)
            row: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
            hall: Mapped[Hall] = mapped_column(primary_key=True)

            class Janela(Vocabulary, name="seats"):
                seats = Count()
                rows = Records("place", "row", "hall")

        return {"Seat": Seat}

    with host(define) as h:
        h.add(*(h.models.Seat(place=p, row=r, hall=Hall[a]) for p, r, a in KEYS))
        reader = h.janela.reader("ana")
        found: list[Record] = []
        page = records.find(reader, "seats", limit=5)
        while True:
            found += page.rows
            if page.next is None:
                break
            before = page
            page = records.find(reader, "seats", limit=5, cursor=page.next)
            assert records.find(reader, "seats", limit=5, cursor=page.previous) == before

        assert [(p, r, hall.name) for p, r, hall in (row.identity for row in found)] == KEYS
        assert len({row.key for row in found}) == len(KEYS)
        for row in found:
            assert records.get(reader, "seats", row.key) == row
            assert records.get(reader, "seats", list(row.identity)) == row
        assert '"A%2C1,2,GREAT"' in repr([row.key for row in found]).replace("'", '"')
        with pytest.raises(BadRequest, match="made of place, row, hall"):
            records.get(reader, "seats", "A")


def test_rows_told_apart_by_a_time_are_paged_through_and_found() -> None:
    """To the microsecond, and by the text or the time itself."""
    start = dt.datetime(2024, 2, 29, 23, 59, 59, 999_990)
    moments = [start + dt.timedelta(microseconds=at) for at in range(12)]

    def define(db: t.Any) -> dict[str, t.Any]:
        class Reading(db.Model):  # type: ignore[name-defined,misc]
            taken: Mapped[dt.datetime] = mapped_column(MOMENT, primary_key=True)

            class Janela(Vocabulary, name="readings"):
                readings = Count()
                rows = Records("taken")

        return {"Reading": Reading}

    with host(define) as h:
        h.add(*(h.models.Reading(taken=moment) for moment in moments))
        reader = h.janela.reader("ana")
        page = records.find(reader, "readings", limit=5)
        found = list(page.rows)
        while page.next is not None:
            page = records.find(reader, "readings", limit=5, cursor=page.next)
            found += page.rows
        assert [row.identity for row in found] == [(moment,) for moment in moments]
        for row, moment in zip(found, moments, strict=True):
            assert row.key == moment.isoformat()
            assert records.get(reader, "readings", row.key) == row
            assert records.get(reader, "readings", moment) == row
        with pytest.raises(BadRequest, match='key is "noon": use a time such as'):
            records.get(reader, "readings", "noon")


def test_a_part_of_the_key_that_may_be_unknown_is_paged_through_too() -> None:
    """As in a view, whose columns no constraint holds."""

    def define(db: t.Any) -> dict[str, t.Any]:
        table = sa.Table(
            "sights",
            db.metadata,
            sa.Column("place", sa.String(50)),
            sa.Column("number", sa.Integer),
        )

        class Sight(db.Model):  # type: ignore[name-defined,misc]
            __table__ = table
            __mapper_args__: t.ClassVar = {"primary_key": [table.c.place, table.c.number]}

            class Janela(Vocabulary):
                sights = Count()
                rows = Records("place", "number")

        return {"Sight": Sight}

    with host(define) as h:
        pairs = [("a", 1), ("a", None), ("b", 2), (None, 1), (None, 3)]
        h.db.session.execute(
            h.models.Sight.__table__.insert(), [{"place": p, "number": n} for p, n in pairs[::-1]]
        )
        h.db.session.commit()
        reader = h.janela.reader("ana")
        found: list[Record] = []
        page = records.find(reader, "sights", limit=1)
        pages = [page]
        while page.next is not None:
            page = records.find(reader, "sights", limit=1, cursor=page.next)
            pages.append(page)
        found = [row for each in pages for row in each.rows]

        assert [row.identity for row in found] == pairs
        assert [records.get(reader, "sights", row.key) for row in found] == found
        back = [pages[-1]]
        while back[0].previous is not None:
            back.insert(0, records.find(reader, "sights", limit=1, cursor=back[0].previous))
        assert back == pages


def test_subclasses_and_deleted_rows_are_as_the_session_has_them() -> None:
    """A single-table subclass lists its own rows; criteria of the session hold."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Kept:
            gone: Mapped[bool] = mapped_column()

        class Parcel(Kept, db.Model):  # type: ignore[name-defined,misc]
            __mapper_args__: t.ClassVar = {"polymorphic_on": "kind", "polymorphic_identity": "p"}
            id: Mapped[int] = mapped_column(primary_key=True)
            kind: Mapped[str]

            class Janela(Vocabulary, name="parcels"):
                parcels = Count()
                rows = Records("kind")

        class Gift(Parcel):
            __mapper_args__: t.ClassVar = {"polymorphic_identity": "g"}

        @sa.event.listens_for(db.session, "do_orm_execute")
        def hide(state: t.Any) -> None:
            if state.is_select:
                criteria = sa.orm.with_loader_criteria(
                    Kept, lambda kept: kept.gone.is_(False), include_aliases=True
                )
                state.statement = state.statement.options(criteria)

        return {"Parcel": Parcel, "Gift": Gift}

    with host(define) as h:
        parcel, gift = h.models.Parcel, h.models.Gift
        h.add(
            parcel(id=1, gone=False), gift(id=2, gone=False), gift(id=3, gone=True),
            parcel(id=4, gone=True), gift(id=5, gone=False),
        )  # fmt: skip
        reader = h.janela.reader("ana")

        assert ids(records.find(reader, "parcels").rows) == [1, 2, 5]
        assert ids(records.find(reader, "gift").rows) == [2, 5]
        assert records.find(reader, "gift").total == 2
        for number in (1, 3):
            with pytest.raises(NotFound):
                records.get(reader, "gift", number)


def test_all_rows_are_read_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """None comes twice or is left out where one batch meets the next."""
    monkeypatch.setattr(records, "BATCH", 10)
    with books() as h:
        columns, rows = records.stream(h.janela.reader("ana"), "entries", {"region.not": "EU"})

        assert [column.name for column in columns][:2] == ["placed_at", "region"]
        assert ids(rows) == [line.id for line in LINES if line.region != "EU"]


INFINITE = None if ENGINE == "mariadb" else float("inf")
"""MySQL and MariaDB keep no infinity."""


def test_odd_columns_are_shown_as_text() -> None:
    """Structures as JSON, numbers that are none as unknown, the end of all calendars as it is."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Odd(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            tags: Mapped[t.Any] = mapped_column(sa.JSON)
            at: Mapped[dt.time]
            ends: Mapped[dt.datetime]
            ratio: Mapped[float | None]
            day: Mapped[dt.date]

            class Janela(Vocabulary):
                odd = Count()
                rows = Records("tags", "at", "ends", "ratio", "day")

        return {"Odd": Odd}

    with host(define, JANELA_TIMEZONE="Asia/Tokyo") as h:
        end = dt.datetime(9999, 12, 31, 23, 59, 59)
        common = {"at": dt.time(7, 5), "ends": end, "day": dt.date(2013, 7, 4)}
        h.add(
            h.models.Odd(tags={"b": ["é", 1]}, ratio=0.1 + 0.2, **common),
            h.models.Odd(tags=None, ratio=INFINITE, **common),
        )
        one, two = records.find(h.janela.reader("ana"), "odd").rows

        assert [cell.value for cell in one.cells][:2] == ['{"b": ["é", 1]}', "07:05:00"]
        assert one.cells[2].value == end
        assert (one.cells[3].value, one.cells[3].formatted) == (0.1 + 0.2, "0.300000")
        assert one.cells[4].formatted == "Jul 4, 2013"
        assert (two.cells[3].value, two.cells[3].formatted) == (None, "—")


@pytest.mark.parametrize(
    ("column", "named", "said"),
    [
        (sa.Column("key", BYTES, primary_key=True), ("name",), "a LargeBinary such as"),
        (sa.Column("key", sa.Interval, primary_key=True), ("name",), "an address"),
        (sa.Column("key", sa.Integer, primary_key=True), ("blob",), "bytes, which cannot be shown"),
        (sa.Column("key", sa.Integer, primary_key=True), ("name", "name"), "twice; name it once"),
    ],
    ids=["bytes as the key", "interval as the key", "bytes shown", "a column twice"],
)
def test_records_that_cannot_work_are_refused_at_start_up(
    column: sa.Column[t.Any], named: tuple[str, ...], said: str
) -> None:
    """With the member and what to do about it."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Thing(db.Model):  # type: ignore[name-defined,misc]
            __table__ = sa.Table(
                "things",
                db.metadata,
                column,
                sa.Column("name", sa.String(50)),
                sa.Column("blob", sa.LargeBinary),
            )

            class Janela(Vocabulary):
                things = Count()
                rows = Records(*named)

        return {"Thing": Thing}

    with host(define) as h, pytest.raises(DeclarationError, match=said) as raised:
        h.janela.check()
    assert "Thing.Janela.rows" in str(raised.value)


def test_the_host_asks_for_rows_in_python() -> None:
    """Next to ``ask``: a caller is required, and nobody is refused unless they are let in."""
    with books() as h:
        page = h.janela.records("entries", caller="ana", filters={"region": "EU"}, limit=3)

        assert ids(page.rows) == [line.id for line in LINES if line.region == "EU"][:3]
        assert page.total == sum(line.region == "EU" for line in LINES)
        assert page.as_dict()["rows"][0]["key"] == page.rows[0].key
        with pytest.raises(Unauthenticated):
            h.janela.records("entries", caller=None)
        assert h.janela.records("entries", caller=None, allow_anonymous=True).total == len(LINES)
