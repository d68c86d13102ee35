"""For a host's own tests: proofs that the rows of one caller never reach another. ::

    from flask_janela import testing

    def test_orders_stay_with_their_team(app):
        with app.app_context():
            testing.assert_scoped(janela, Order, ana, ben)

They walk Janela's own routes and tools as each of two callers, and compare what each was told with
what the scope's own statement says, read whole and counted in Python. They need no pytest, and no
application imports them. A walk writes to the application's database what a reader's own visits
would, and a frame of its own that it removes: give it a database of tests.
"""

from .leaks import Incomplete
from .proofs import assert_frames_scoped, assert_nobody_reads, assert_scoped
from .report import Walked

__all__ = [
    "Incomplete",
    "Walked",
    "assert_frames_scoped",
    "assert_nobody_reads",
    "assert_scoped",
]
