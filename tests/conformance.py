"""A host whose own functions are the tools that the MCP conformance suite calls."""

from __future__ import annotations

import time
import typing as t

from werkzeug.exceptions import Forbidden

from flask_janela import Janela
from flask_janela.tools import Content, report_progress

RED_DOT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8Dw"
    "HwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

IMAGE = {"type": "image", "data": RED_DOT, "mimeType": "image/png"}

SCHEMA_2020_12: dict[str, t.Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def add_tools(janela: Janela) -> None:
    """The tools with the names and answers that the suite asks for."""

    @janela.tool()
    def test_simple_text(caller: t.Any) -> Content:
        """Say something."""
        return {"content": [_text("This is a simple text response for testing.")]}

    @janela.tool()
    def test_image_content(caller: t.Any) -> Content:
        """Show a red dot."""
        return {"content": [IMAGE]}

    @janela.tool()
    def test_audio_content(caller: t.Any) -> Content:
        """Let silence be heard."""
        return {"content": [{"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}]}

    @janela.tool()
    def test_embedded_resource(caller: t.Any) -> Content:
        """Hand over a document."""
        words = "This is an embedded resource content."
        return {"content": [_document("test://embedded-resource", "text/plain", words)]}

    @janela.tool()
    def test_multiple_content_types(caller: t.Any) -> Content:
        """Say, show and hand over."""
        data = _document("test://mixed-content-resource", "application/json", '{"test":"data"}')
        return {"content": [_text("Multiple content types test:"), IMAGE, data]}

    @janela.tool()
    def test_error_handling(caller: t.Any) -> Content:
        """Break down."""
        raise RuntimeError("This tool intentionally returns an error for testing")

    @janela.tool()
    def test_tool_with_progress(caller: t.Any) -> Content:
        """Take a while."""
        for done in (0, 50, 100):
            report_progress(done, 100)
            time.sleep(0.01)
        return {"content": [_text("Done.")]}

    @janela.tool()
    def forbidden(caller: t.Any) -> Content:
        """Do what nobody may; not the suite's."""
        raise Forbidden("Acme owes us money.")

    @janela.tool(input_schema=SCHEMA_2020_12)
    def json_schema_2020_12_tool(
        caller: t.Any,
        name: str = "",
        address: dict[str, str] | None = None,
        contactMethod: t.Literal["phone", "email"] | None = None,
        phone: str | None = None,
        email: str | None = None,
    ) -> dict[str, str]:
        """Tool with JSON Schema 2020-12 features."""
        return {"name": name}


def _text(words: str) -> dict[str, t.Any]:
    return {"type": "text", "text": words}


def _document(address: str, kind: str, words: str) -> dict[str, t.Any]:
    return {"type": "resource", "resource": {"uri": address, "mimeType": kind, "text": words}}
