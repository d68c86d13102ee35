"""What is about looking at a page rather than about its numbers: several, kiosk, refresh.

And the words for its live region, which tell those who do not see the page what a click changed.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

from ..errors import BadRequest, quoted
from ..words import joined, say
from . import addresses, figures, views, words

SWITCHES = ("kiosk", "several")
OWN = (*SWITCHES, "refresh")
LEAST_SECONDS, MOST_SECONDS = 5, 86_400


@dataclasses.dataclass(frozen=True, slots=True)
class Mode:
    """How a page is looked at.

    Attributes:
        several: whether a plain click adds a value to those chosen.
        kiosk: whether it hangs on a wall.
        refresh: seconds after which it asks again by itself.
    """

    several: bool = False
    kiosk: bool = False
    refresh: int | None = None

    @property
    def own(self) -> addresses.Pairs:
        """As the parameters of an address."""
        on = [(name, "1") for name in SWITCHES if getattr(self, name)]
        seconds = [("refresh", str(self.refresh))] if self.refresh is not None else []
        return (*on, *seconds)


PLAIN = Mode()


def read(given: cabc.Mapping[str, t.Any]) -> Mode:
    """The mode that a page's own parameters ask for.

    Raises:
        BadRequest: for a switch that is not 1, or seconds out of bounds.
    """
    for name in SWITCHES:
        if given.get(name, "1") != "1":
            raise BadRequest(
                say(
                    "{name} is {given}: use 1, or leave it out.",
                    name=name,
                    given=quoted(given[name]),
                )
            )
    refresh = given.get("refresh")
    if refresh is not None:
        seconds = addresses.whole(refresh)
        if seconds is None or not LEAST_SECONDS <= seconds <= MOST_SECONDS:
            raise BadRequest(
                say(
                    "{name} is {given}: use a whole number of seconds from {least} to {most}.",
                    name="refresh",
                    given=quoted(refresh),
                    least=LEAST_SECONDS,
                    most=MOST_SECONDS,
                )
            )
    return Mode("several" in given, "kiosk" in given, None if refresh is None else int(refresh))


def view(
    address: addresses.Address,
    mode: Mode,
    bar: views.FilterBar,
    panes: cabc.Sequence[views.Pane],
    *,
    choose: bool = True,
) -> views.Live:
    """A page as it says what it is: its address, its switch, and what it shows by now.

    ``choose`` is whether there is anything on it to choose from.
    """
    several = views.Link(address.switched("several"), say("Select several"), mode.several)
    return views.Live(
        address=address.url(),
        several=several if choose else None,
        said=said(bar, panes),
        kiosk=mode.kiosk,
        refresh=mode.refresh,
    )


def said(bar: views.FilterBar, panes: cabc.Sequence[views.Pane]) -> str:
    """ "Filtered by Airline Delta: 6 panes updated"."""
    chosen = [joined(" ", (chip.label, chip.words)) for chip in bar.chips if chip.remove]
    under = say("Not filtered")
    if chosen:
        under = say("Filtered by {filters}", filters=joined(", ", chosen))
    waiting = sum(isinstance(pane.figure, figures.Waiting) for pane in panes)
    still = (figures.Waiting, figures.Prose, figures.HostPartial)
    asked = sum(not isinstance(pane.figure, still) for pane in panes)
    updated = say("{filtered}: {panes} updated", filtered=under, panes=words.panes(asked))
    if not waiting:
        return updated
    return say("{updated}, {n} still asking", updated=updated, n=waiting)
