"""Scoped measures, dashboards and agent tools for Flask and SQLAlchemy applications."""

from .errors import (
    BadRequest,
    CallerGone,
    Conflict,
    DeclarationError,
    JanelaError,
    NotFound,
    Refused,
    Unauthenticated,
    Unscoped,
)
from .extension import Janela
from .frames import Frame, Pane
from .query import Result, Row
from .vocabulary import (
    Average,
    Count,
    CountDistinct,
    Dimension,
    Maximum,
    Minimum,
    Ratio,
    Records,
    Share,
    Sum,
    TimeDimension,
    Vocabulary,
)

__all__ = [
    "Average",
    "BadRequest",
    "CallerGone",
    "Conflict",
    "Count",
    "CountDistinct",
    "DeclarationError",
    "Dimension",
    "Frame",
    "Janela",
    "JanelaError",
    "Maximum",
    "Minimum",
    "NotFound",
    "Pane",
    "Ratio",
    "Records",
    "Refused",
    "Result",
    "Row",
    "Share",
    "Sum",
    "TimeDimension",
    "Unauthenticated",
    "Unscoped",
    "Vocabulary",
]
