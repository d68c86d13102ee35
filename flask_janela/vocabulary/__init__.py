"""What developers declare: measures, dimensions and records, bound to mapped classes."""

from .bound import BoundColumn, BoundDimension, BoundMeasure, BoundModel, BoundRecords
from .catalogue import EVERYTHING, Catalogue, build
from .declaration import Vocabulary, VocabularyType
from .dimensions import Dimension, Records, TimeDimension
from .measures import Average, Count, CountDistinct, Maximum, Minimum, Ratio, Share, Sum

__all__ = [
    "EVERYTHING",
    "Average",
    "BoundColumn",
    "BoundDimension",
    "BoundMeasure",
    "BoundModel",
    "BoundRecords",
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
