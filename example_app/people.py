"""The people at the desk: four of them, in code, because this is a demo."""

from __future__ import annotations

import dataclasses
import typing as t

from flask_login import LoginManager, UserMixin


@dataclasses.dataclass(frozen=True)
class Person(UserMixin):
    """Someone who can sign in.

    Attributes:
        role: the lead and the administrator read every airline, an analyst one.
        title: the role in words, as it stands beside the name.
        carrier: the airline of an analyst; None for the others.
    """

    id: str
    name: str
    role: t.Literal["lead", "admin", "analyst"]
    title: str
    carrier: str | None = None
    airline: str | None = None

    @property
    def is_ops(self) -> bool:
        return self.role in {"lead", "admin"}

    @property
    def initials(self) -> str:
        return "".join(word[0] for word in self.name.split())

    def __str__(self) -> str:
        return f"{self.name}, {self.title}"


PEOPLE = {
    person.id: person
    for person in (
        Person("lead", "Ana Reis", "lead", "operations lead"),
        Person("admin", "Miguel Sá", "admin", "administrator"),
        Person("analyst-ua", "June Park", "analyst", "analyst at United", "UA", "United Air Lines"),
        Person("analyst-dl", "Sam Ode", "analyst", "analyst at Delta", "DL", "Delta Air Lines"),
    )
}

TOKENS = {f"demo-{id_}": id_ for id_ in PEOPLE}
"""Whose an agent's bearer token is. They stand on the sign-in page, because this is a demo."""

login_manager = LoginManager()
login_manager.login_view = "sign_in.form"
login_manager.login_message = None


@login_manager.user_loader
def load_person(person_id: str) -> Person | None:
    return PEOPLE.get(person_id)
