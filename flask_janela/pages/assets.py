"""Where the package's templates and static files are, however it was installed."""

from __future__ import annotations

import pathlib
import typing as t

_PACKAGE = pathlib.Path(__file__).resolve().parent.parent


def find(name: t.Literal["templates", "static"], package: pathlib.Path = _PACKAGE) -> pathlib.Path:
    """The folder of that name: inside the package as a wheel has it, else beside it.

    A checkout and an editable install keep both folders at the top of the repository.

    Raises:
        FileNotFoundError: when the installation has neither.
    """
    for folder in (package / name, package.parent / name):
        if any(folder.glob("janela*")):
            return folder
    raise FileNotFoundError(
        f"flask-janela's {name} are neither in {package / name} nor in {package.parent / name}. "
        "The installation is incomplete; install flask-janela again."
    )
