"""What the tests ran of the package: a line for each file that lacks something, and the sums.

``python .ci/coverage.py coverage.json`` ends with 1 below 95% of lines or 90% of branches.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

LEAST = {"lines": 95.0, "branches": 90.0}


def main(report: str) -> int:
    totals = json.loads(Path(report).read_text(encoding="utf-8"))["totals"]
    counted = {
        "lines": (totals["covered_lines"], totals["num_statements"]),
        "branches": (totals["covered_branches"], totals["num_branches"]),
    }
    shares = {what: 100 * ran / there for what, (ran, there) in counted.items()}
    for what, (ran, there) in counted.items():
        print(f"{what}: {ran:,} of {there:,} ran, {shares[what]:.2f}% (at least {LEAST[what]:g}%)")
    return int(any(shares[what] < least for what, least in LEAST.items()))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
