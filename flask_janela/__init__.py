"""Scoped measures, dashboards and agent tools for Flask and SQLAlchemy applications."""

from .errors import (
    BadRequest,
    CallerGone,
    Conflict,
    DeclarationError,
    Failed,
    JanelaError,
    NotFound,
    RateLimited,
    Refused,
    Unauthenticated,
    Unscoped,
)
from .extension import Janela
from .frames import Frame, Pane
from .query.result import Result, Row
from .tools import Tool, Tools
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
    "Failed",
    "Frame",
    "Janela",
    "JanelaError",
    "Maximum",
    "Minimum",
    "NotFound",
    "Pane",
    "RateLimited",
    "Ratio",
    "Records",
    "Refused",
    "Result",
    "Row",
    "Share",
    "Sum",
    "TimeDimension",
    "Tool",
    "Tools",
    "Unauthenticated",
    "Unscoped",
    "Vocabulary",
]
