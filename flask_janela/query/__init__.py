"""From a question to an answer, under one caller's scope."""

from .asking import answer, ask, count_members
from .filters import Filter, Layers
from .question import PaneOptions, Question, read_options
from .reader import Reader
from .record import Record, RecordColumn, RecordPage
from .result import Cell, Column, Range, Result, Row

__all__ = [
    "Cell",
    "Column",
    "Filter",
    "Layers",
    "PaneOptions",
    "Question",
    "Range",
    "Reader",
    "Record",
    "RecordColumn",
    "RecordPage",
    "Result",
    "Row",
    "answer",
    "ask",
    "count_members",
    "read_options",
]
