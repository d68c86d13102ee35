"""What developers declare: measures, dimensions and records, bound to mapped classes."""

from .bound import BoundDimension, BoundMeasure, BoundModel
from .catalogue import EVERYTHING, Catalogue, build
from .declaration import Vocabulary, VocabularyType
from .dimensions import Dimension, Records, TimeDimension
from .measures import Average, Count, CountDistinct, Maximum, Minimum, Ratio, Share, Sum

__all__ = [
    "EVERYTHING",
    "Average",
    "BoundDimension",
    "BoundMeasure",
    "BoundModel",
    "Catalogue",
    "Count",
    "CountDistinct",
    "Dimension",
    "Maximum",
    "Minimum",
    "Ratio",
    "Records",
    "Share",
    "Sum",
    "TimeDimension",
    "Vocabulary",
    "VocabularyType",
    "build",
]
