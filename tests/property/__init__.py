"""Random tables and random questions, each answer held against a plain Python loop.

``world`` has the rows as plain data, ``models`` the host application over the same rows,
``strategies`` draws them and the questions, ``oracle`` answers with loops and nothing else.
"""
