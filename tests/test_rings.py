"""Rings: outlines worked by hand, whose colour is whose, and what no ring can show."""

from __future__ import annotations

import dataclasses
import math
import random
import re
import typing as t

import pytest
from answers import Result, Row, answer, by_airline, flights, row

from flask_janela.pages import rings
from flask_janela.pages.rings import Palette, refusal
from flask_janela.vocabulary import BoundDimension


def ring(result: Result, *, hole: bool = True) -> rings.Ring:
    return rings.ring(result, Palette(), hole=hole)


def paths(result: Result, *, hole: bool = True) -> list[str | None]:
    return [each.path for each in ring(result, hole=hole).slices]


def dimension(**changed: t.Any) -> BoundDimension:
    return dataclasses.replace(flights().dimensions["airline"], **changed)


def named(*keys: t.Any) -> tuple[Row, ...]:
    return tuple(row(key, 1) for key in keys)


def colours(of: BoundDimension, *keys: t.Any) -> dict[t.Any, int]:
    """The colours on a page of its own."""
    return Palette().colours(of, named(*keys))


# outlines


def test_two_halves_of_a_doughnut() -> None:
    """From the top, clockwise, one unit away from the vertical on either side."""
    assert paths(by_airline(5, 5, total=10)) == [
        "M1 -69.99A70 70 0 0 1 1 69.99L1 46.99A47 47 0 0 0 1 -46.99Z",
        "M-1 69.99A70 70 0 0 1 -1 -69.99L-1 -46.99A47 47 0 0 0 -1 46.99Z",
    ]


def test_two_halves_of_a_pie_keep_the_same_distance() -> None:
    """Their tips stand one unit from the centre, so that a straight gap runs through it."""
    assert paths(by_airline(5, 5, total=10), hole=False) == [
        "M1 -69.99A70 70 0 0 1 1 69.99L1 0Z",
        "M-1 69.99A70 70 0 0 1 -1 -69.99L-1 0Z",
    ]


def test_three_quarters_take_the_long_way_round() -> None:
    """The large arc, out and back."""
    first, second = paths(by_airline(3, 1, total=4))
    assert first == "M1 -69.99A70 70 0 1 1 -69.99 1L-46.99 1A47 47 0 1 0 1 -46.99Z"
    assert second == "M-69.99 -1A70 70 0 0 1 -1 -69.99L-1 -46.99A47 47 0 0 0 -46.99 -1Z"


def test_a_single_member_is_a_whole_circle() -> None:
    """Two half arcs, since one arc cannot end where it begins; the hole runs the other way."""
    outer = "M0 -70A70 70 0 1 1 0 70A70 70 0 1 1 0 -70Z"
    assert paths(by_airline(7, total=7), hole=False) == [outer]
    assert paths(by_airline(7, 0, total=7)) == [
        f"{outer}M0 -47A47 47 0 1 0 0 47A47 47 0 1 0 0 -47Z",
        None,
    ]


def _turn(point: str) -> float:
    """How far round a point stands, as a fraction of a turn."""
    x, y = (float(number) for number in point.split())
    return (math.atan2(x, -y) / math.tau) % 1


def test_slices_follow_each_other_round_in_proportion() -> None:
    """Each outer corner stands where the sum of the values before it says."""
    draw = random.Random(2013)
    for _ in range(200):
        values = [draw.randint(1, 1000) for _ in range(draw.randint(2, 12))]
        done = 0
        for value, path in zip(values, paths(by_airline(*values, total=sum(values))), strict=True):
            assert path is not None
            found = re.match(r"M(\S+ \S+)A70 70 0 ([01]) 1 (\S+ \S+)L", path)
            assert found is not None
            start, end = done / sum(values), (done + value) / sum(values)
            assert 0 <= _turn(found[1]) - start < 0.003 + 1e-4
            assert 0 <= end - _turn(found[3]) < 0.003 + 1e-4
            assert found[2] == str(int(_turn(found[3]) - _turn(found[1]) > 0.5))
            done += value


def test_a_tiny_slice_keeps_half_of_its_width_and_is_no_target() -> None:
    """One in a million is still there to see, and is reached by the legend."""
    tiny = ring(by_airline(999_999, 1, total=1_000_000)).slices[1]
    assert tiny.path is not None
    corners = re.match(r"M(\S+) \S+A70 70 0 0 1 (\S+) ", tiny.path)
    assert corners is not None
    assert tiny.path.count("NaN") == 0
    assert tiny.target is False
    assert [each.target for each in ring(by_airline(3, 1, total=4)).slices] == [True, True]


# what is left over


def test_what_is_not_shown_closes_the_ring() -> None:
    """Of 10 only 6 are shown: the rest is hollow, and its amount is said."""
    drawn = ring(by_airline(4, 2, total=10, truncated=True))
    assert drawn.rest == 4
    last = drawn.slices[-1]
    assert (last.row, last.colour, str(last.share)) == (None, 0, "0.4")
    assert [str(each.share) for each in drawn.slices] == ["0.4", "0.2", "0.4"]


def test_other_is_neutral_and_leaves_nothing() -> None:
    """It is a row of its own already."""
    rows = [row("A", 6), row(None, 4, is_other=True, label="Other")]
    drawn = ring(answer(rows, total=10, truncated=True))
    assert [each.colour for each in drawn.slices][1] == 0
    assert drawn.rest == 0
    assert len(drawn.slices) == 2


def test_a_floats_last_digits_are_no_rest() -> None:
    """0.1 + 0.2 is 0.30000000000000004 to the database."""
    assert ring(by_airline(0.1, 0.2, total=0.30000000000000004)).rest == 0


# colours


def test_a_member_keeps_its_colour_whatever_its_rank() -> None:
    """In any order, and in a ring drawn later on the page."""
    palette = Palette()
    first = palette.colours(dimension(), named("A", "B", "C", "D"))
    assert palette.colours(dimension(), named("D", "B")) == {"D": first["D"], "B": first["B"]}
    assert colours(dimension(), "C", "A", "D", "B") == first


def test_members_that_come_and_go_leave_the_others_colours_alone() -> None:
    """Without a collision no colour depends on what stands beside it."""
    alone = {key: colours(dimension(), key)[key] for key in "ABCDEFGHIJ"}
    for one in alone:
        for other in alone:
            if alone[one] != alone[other]:
                assert colours(dimension(), one, other) == {one: alone[one], other: alone[other]}


def test_no_two_of_eight_members_share_a_colour() -> None:
    """For any members; the ninth has none."""
    draw = random.Random(8)
    for _ in range(300):
        keys = draw.sample(range(10_000), 12)
        found = colours(dimension(), *keys)
        assert sorted(found.values()) == [1, 2, 3, 4, 5, 6, 7, 8]
        assert set(found) == set(keys[:8])


def test_a_declared_order_gives_the_colours_in_turn() -> None:
    """Also when one of its members has nothing to show, and for yes and no."""
    declared = dimension(order=("new", "paid", "sent"))
    assert colours(declared, "sent", "new", "paid") == {"new": 1, "paid": 2, "sent": 3}
    assert colours(declared, "sent") == {"sent": 3}
    assert colours(dimension(labels={"b": "B", "a": "A"}), "a", "b") == {"b": 1, "a": 2}
    assert colours(dimension(), False, True) == {True: 1, False: 2}


def test_the_null_group_has_a_colour_of_its_own() -> None:
    """It is a member, not "Other", and is neither "" nor the text "(none)"."""
    found = colours(dimension(), None, "", "(none)")
    assert len(set(found.values())) == 3
    assert 0 not in found.values()


# refusals


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("airlines", "a number of different values is not a whole of parts"),
        ("delay", "an average is not a whole of parts"),
        ("punctual", "a share is not a whole of parts"),
        ("flights", ""),
        ("takings", ""),
    ],
)
def test_only_what_adds_up_is_a_whole(measure: str, said: str) -> None:
    """Counts of rows and sums do; nothing else."""
    assert refusal(by_airline(1, 2, measure=measure, total=3)) == said


@pytest.mark.parametrize(
    ("result", "said"),
    [
        pytest.param(by_airline(3, -1, total=2), "a ring needs values of 0 and more", id="below 0"),
        pytest.param(
            by_airline(0, 0, total=0), "the total is 0, so nothing is a part of it", id="nothing"
        ),
        pytest.param(
            by_airline(5, total=4, truncated=True),
            "a ring needs values of 0 and more, and there are others among those not shown",
            id="hidden",
        ),
        pytest.param(by_airline(0, 1, None, total=1), "", id="zero and unknown"),
    ],
)
def test_values_that_are_no_parts_are_refused(result: Result, said: str) -> None:
    """Below 0, nothing at all, or a total smaller than what is shown."""
    assert refusal(result) == said
