"""Words that people read: written in English, shown in the language of who reads them.

:func:`say` makes English text that remembers what it was made of. Whatever takes a text takes it
as it is: logs, commands, and what agents are told stay English. A page that shows it says it
again in its reader's language: templates do so by themselves (``__html__``), and code that sends
text otherwise asks :func:`translated`.

There is another language only where the application has Flask-Babel, and a catalogue of the
domain ``janela`` for the reader's locale: ours, or one in the translation directories of the host,
whose words go before ours. What a host declares is the host's to translate, see :func:`own`.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import functools
import pathlib
import re
import typing as t

import babel
import babel.numbers
import babel.support
import flask
import markupsafe

DOMAIN = "janela"
DIRECTORY = str(pathlib.Path(__file__).parent / "translations")

_NOTED = "janela.voice"
_PLACE = re.compile(r"\{(\w+)(:[^}]*)?\}")
_NO_VALUES: cabc.Mapping[str, t.Any] = {}
_ENDS = (".", "!", "?", "…")


@dataclasses.dataclass(frozen=True, slots=True)
class Voice:
    """How a page speaks to its reader.

    Attributes:
        locale: by which numbers and dates are written.
        catalogue: the words of its language; without any they are English.
    """

    locale: babel.Locale
    catalogue: babel.support.NullTranslations

    @property
    def language(self) -> str:
        """The language that is really spoken, as ``lang`` writes it."""
        known = isinstance(self.catalogue, babel.support.Translations)
        return str(self.locale).replace("_", "-") if known else "en"


class Words(str):
    """English text that can be said in another language, made by :func:`say` and its kin."""

    __slots__ = ("message", "plural", "subject", "values")

    message: str
    plural: str
    subject: str
    values: cabc.Mapping[str, t.Any]

    def spoken(self, voice: Voice) -> str:
        """The same in another language; a value is put in as it is, whatever it holds."""
        catalogue = voice.catalogue
        if self.plural:
            said = catalogue.ngettext(self.message, self.plural, self.values["n"])
        elif self.subject:
            said = str(catalogue.pgettext(self.subject, self.message))
        else:
            said = catalogue.gettext(self.message)
        if not self.values:
            return said
        return _PLACE.sub(lambda place: self._value(place, voice), said)

    def _value(self, place: re.Match[str], voice: Voice) -> str:
        name, shape = place.groups()
        if name not in self.values:
            return place[0]
        value = self.values[name]
        if isinstance(value, Words):
            return value.spoken(voice)
        if shape:
            return babel.numbers.format_decimal(value, locale=voice.locale)
        return str(value)

    @property
    def parts(self) -> tuple[str, ...]:
        """The texts that these were joined from; else these alone."""
        return (self,)

    def about(self, **values: t.Any) -> Words:
        """The same message with some other values."""
        return _made(self.message, self.plural, {**self.values, **values})

    def __html__(self) -> str:
        return markupsafe.escape(translated(self))


class _Joined(Words):
    """Several texts, one after the other."""

    __slots__ = ("between", "every")

    between: str
    every: tuple[str, ...]

    def spoken(self, voice: Voice) -> str:
        said = (spoken(part, voice) for part in self.every)
        return spoken(self.between, voice).join(said)

    @property
    def parts(self) -> tuple[str, ...]:
        each = (p.parts if isinstance(p, Words) else (p,) for p in self.every)
        return tuple(part for parts in each for part in parts)


class _Changed(Words):
    """A text with something done to it in whatever language it is said."""

    __slots__ = ("change", "whole")

    change: cabc.Callable[[str], str]
    whole: Words

    def spoken(self, voice: Voice) -> str:
        return self.change(self.whole.spoken(voice))


class _Written(Words):
    """A text that a locale decides on, such as a date."""

    __slots__ = ("write",)

    write: cabc.Callable[[babel.Locale], str]

    def spoken(self, voice: Voice) -> str:
        return self.write(voice.locale)


class _Own(Words):
    """A text of the host's that says itself in whatever language is asked for."""

    __slots__ = ("lazy",)

    lazy: object

    def spoken(self, voice: Voice) -> str:
        import flask_babel

        with flask_babel.force_locale(voice.locale):
            return str(self.lazy)


def say(message: str, /, **values: t.Any) -> Words:
    """Words as they are shown. ::

        say("{given} is not a measure of {model}", given=quoted(given), model=model.name)

    The message is a literal: it is what a catalogue translates. ``{count:,}`` groups the digits of
    a number.
    """
    return _made(message, "", values)


def say_of(subject: str, message: str, /) -> Words:
    """Words that another language says otherwise of one thing than of another.

    The subject tells translators of what: ``say_of("calls", "All")`` are other than all frames.
    """
    words = _made(message, "", {})
    words.subject = subject
    return words


def say_many(one: str, many: str, n: int, /, **values: t.Any) -> Words:
    """Words about ``n`` things, which the messages may name ``{n}``."""
    return _made(one, many, {"n": n, **values})


def _made(message: str, plural: str, values: dict[str, t.Any]) -> Words:
    text = plural if plural and values["n"] != 1 else message
    words = Words(text.format_map(values) if values else text)
    _set(words, message, plural, values)
    return words


def _set(words: Words, message: str, plural: str = "", values: t.Any = _NO_VALUES) -> None:
    words.message, words.plural, words.subject, words.values = message, plural, "", values


def written(write: cabc.Callable[[babel.Locale], str], locale: babel.Locale) -> Words:
    """What is written for a locale; on a page for its reader's."""
    words = _Written(write(locale))
    _set(words, str(words))
    words.write = write
    return words


def own(text: object) -> str:
    """A text that a host declares: as it is, or for each reader anew where it is lazy.

    The text of Flask-Babel's ``lazy_gettext`` is that of the application's default locale; pages
    show its reader's.
    """
    if isinstance(text, str):
        return text
    host = flask.current_app.extensions.get("babel")
    if host is None:
        return str(text)
    import flask_babel

    with flask_babel.force_locale(host.default_locale):
        words = _Own(str(text))
    _set(words, str(words))
    words.lazy = text
    return words


def joined(between: str, parts: cabc.Iterable[str]) -> str:
    """``between.join(parts)``, where any of them may be words."""
    every = tuple(parts)
    text = between.join(every)
    if not any(isinstance(part, Words) for part in every):
        return text
    words = _Joined(text)
    _set(words, text)
    words.between, words.every = between, every
    return words


def changed(text: str, change: cabc.Callable[[str], str]) -> str:
    """``change(text)``, in whatever language the text is said."""
    if not isinstance(text, Words):
        return change(text)
    words = _Changed(change(str(text)))
    _set(words, str(words))
    words.whole, words.change = text, change
    return words


def capital(text: str) -> str:
    """A text with its first letter large."""
    return changed(text, _capital)


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def sentence(text: str) -> str:
    """A text with a full stop, if it has no end yet."""
    return changed(text, _sentence)


def _sentence(text: str) -> str:
    return text if not text or text.endswith(_ENDS) else f"{text}."


def full_stop(text: str) -> str:
    """A text that ends with one full stop, whether or not it did."""
    return changed(text, _full_stop)


def _full_stop(text: str) -> str:
    return f"{text.removesuffix('.')}."


def spoken(text: str, voice: Voice) -> str:
    """A text in another language, if it is words."""
    return text.spoken(voice) if isinstance(text, Words) else text


def translated(text: str) -> str:
    """A text in the language of the current page; one that is no words, as it is."""
    if not isinstance(text, Words):
        return text
    voice = current_voice()
    return str(text) if voice is None else text.spoken(voice)


def speak(locale: babel.Locale) -> None:
    """Note the locale of the reader of this request: its words are shown in that language."""
    flask.request.environ[_NOTED] = voice_of(locale)


def is_settled() -> bool:
    """Whether the locale of the reader of this request was noted."""
    return _NOTED in flask.request.environ


def current_voice() -> Voice | None:
    """How the page of this request speaks; None for the English that is written."""
    if not flask.has_request_context():
        return None
    environ = flask.request.environ
    if _NOTED in environ:
        return t.cast("Voice | None", environ[_NOTED])
    if "babel" not in flask.current_app.extensions:
        return None
    import flask_babel

    return voice_of(flask_babel.get_locale())


def voice_of(locale: babel.Locale) -> Voice | None:
    """How this application speaks to readers of a locale; None where it has but one language."""
    host = flask.current_app.extensions.get("babel")
    if host is None:
        return None
    return _loaded(str(locale), tuple(host.translation_directories))


@functools.lru_cache(maxsize=256)
def _loaded(locale: str, directories: tuple[str, ...]) -> Voice:
    """The catalogues of a locale, each asked for what those before it do not have."""
    found = babel.support.NullTranslations()
    for directory in (DIRECTORY, *directories):
        catalogue = babel.support.Translations.load(directory, [locale], DOMAIN)
        if isinstance(catalogue, babel.support.Translations):
            catalogue.add_fallback(found)
            found = catalogue
    return Voice(babel.Locale.parse(locale), found)


def teller() -> cabc.Callable[..., str]:
    """:func:`say` for the templates of one page, which says things at once in its language."""
    voice = current_voice()
    if voice is None:
        return _in_english
    return lambda message, /, **values: say(message, **values).spoken(voice)


def _in_english(message: str, /, **values: t.Any) -> str:
    return message.format_map(values) if values else message


def language() -> str:
    """The language of the current page as ``lang`` writes it."""
    voice = current_voice()
    return "en" if voice is None else voice.language


def direction() -> str:
    """How the current page is written: ``ltr`` or ``rtl``."""
    voice = current_voice()
    rtl = voice is not None and voice.language != "en" and voice.locale.text_direction == "rtl"
    return "rtl" if rtl else "ltr"
