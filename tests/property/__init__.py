"""Random tables and random questions, each answer held against a plain Python loop.

The rows are plain data (``world``, drawn by ``tables``; the questions by ``strategies``). The
host application over the same rows is ``models`` with ``scopes``; the loops are ``declared`` (the
vocabularies once more), ``rows`` (what a scope returns), ``clock`` and ``oracle``. ``checking``
asks and compares.
"""
