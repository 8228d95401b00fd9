"""Character cards: JSON, PNG or charx, of version 1, 2 or 3 of the specification.

A card is kept whole: unknown fields come out again as they went in. Of a picture with both chunks
`ccv3` counts (version 3 of the specification).
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from kataribe.domain.terms import Extra
from kataribe.errors import FormatError, InputError
from kataribe.formats.cards.lorebook import Lorebook, book_in, book_object
from kataribe.formats.cards.png import SIGNATURE, plain_picture, texts_in, with_texts
from kataribe.formats.fields import Fields
from kataribe.formats.jsonl import parse_file, read_bytes

_ZIP = b"PK\x03\x04"
_INSIDE = "card.json"
_MOST_JSON = 16 * 2**20
"""Bytes of the card inside a charx, unpacked."""
_TEXTS = (
    *("description", "personality", "scenario", "first_mes", "mes_example", "creator_notes"),
    *("system_prompt", "post_history_instructions", "creator", "character_version", "nickname"),
)
_BOOK = "character_book"


class CardSpec(StrEnum):
    """By which specification a card is written."""

    V1 = "chara_card_v1"
    V2 = "chara_card_v2"
    V3 = "chara_card_v3"


_VERSIONS = {CardSpec.V2: "2.0", CardSpec.V3: "3.0"}


class CardForm(StrEnum):
    """In what a card is written, called as its file ends."""

    JSON = "json"
    PNG = "png"
    CHARX = "charx"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A character card. `data` is its object as it came, without the lorebook; `rest` what stands beside."""

    name: str
    spec: CardSpec
    data: Extra
    book: Lorebook | None = None
    rest: Extra = field(default_factory=dict)

    def text(self, name: str) -> str:
        """Give one of its texts; empty where it has none."""
        value = self.data.get(name)
        return value.strip() if isinstance(value, str) else ""


def read_card(path: Path) -> Card:
    """Read a card. Raises `InputError`, and `FormatError` with the place."""
    return parse_card(read_bytes(path), str(path))


def parse_card(data: bytes, name: str) -> Card:
    """Read a card out of bytes that came from `name`. Raises `FormatError` with the place."""
    if data.startswith(SIGNATURE):
        return _of_json(_in_picture(data, name), name)
    return _of_json(_in_archive(data, name) if data.startswith(_ZIP) else data, name)


def _in_picture(data: bytes, name: str) -> bytes:
    texts = texts_in(data, name)
    found = texts.get("ccv3") or texts.get("chara")
    if found is None:
        raise FormatError("holds no character card; it is a picture alone", file=name)
    try:
        return base64.b64decode(found, validate=True)
    except binascii.Error as error:
        raise FormatError(f"its card is no base64 ({error}); export it anew", file=name) from error


def _in_archive(data: bytes, name: str) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if archive.getinfo(_INSIDE).file_size > _MOST_JSON:
                raise FormatError(f"its {_INSIDE} is larger than {_MOST_JSON:,} bytes", file=name)
            with archive.open(_INSIDE) as inside:
                found = inside.read(_MOST_JSON + 1)
    except KeyError as error:
        raise FormatError(f"holds no {_INSIDE}; it is no charx", file=name) from error
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise FormatError(f"is broken ({error}); export the card anew", file=name) from error
    if len(found) > _MOST_JSON:
        raise FormatError(f"its {_INSIDE} is larger than {_MOST_JSON:,} bytes", file=name)
    return found


def _of_json(data: bytes, name: str) -> Card:
    value = parse_file(data, name)
    fields = Fields({}, file=name).inside(value, "the card")
    spec = fields.take("spec")
    if spec is None:
        return _card(fields, CardSpec.V1, {})
    if spec not in (CardSpec.V2, CardSpec.V3):
        raise fields.refused(f"spec must be {CardSpec.V2} or {CardSpec.V3}, not {spec!r}")
    inside = Fields({}, file=name).inside(fields.take("data"), "data")
    return _card(inside, CardSpec(str(spec)), fields.rest())


def _card(fields: Fields, spec: CardSpec, rest: Mapping[str, object]) -> Card:
    whole = fields.rest()
    called = fields.filled_text("name")
    for one in _TEXTS:
        fields.maybe_text(one)
    book = fields.take(_BOOK)
    read = None if book is None else book_in(fields.inside(book, _BOOK))
    data = {key: value for key, value in whole.items() if key != _BOOK}
    return Card(name=called.strip(), spec=spec, data=data, book=read, rest=rest)


def card_bytes(card: Card, form: CardForm, *, like: bytes | None = None, name: str = "") -> bytes:
    """Write a card; `like` is a file of the same form, `name`, whose picture and assets are taken over.

    Without it a PNG has a plain picture, and a charx its card alone. Raises `FormatError`.
    """
    if form is CardForm.JSON:
        return _json(card)
    if form is CardForm.PNG:
        texts = {"ccv3": base64.b64encode(_json(replace(card, spec=CardSpec.V3)))}
        texts["chara"] = base64.b64encode(_json(replace(card, spec=CardSpec.V2)))
        return with_texts(plain_picture() if like is None else like, name, texts)
    return _archive(card if like is not None else _without_assets(card), like, name)


def form_of(path: Path) -> CardForm:
    """Tell by its ending in what a card is to be written. Raises `InputError`."""
    ending = path.suffix.lower().lstrip(".")
    if ending not in tuple(CardForm):
        raise InputError(f"a card is written to a file that ends in {', '.join(CardForm)}; {path} does not")
    return CardForm(ending)


def _json(card: Card) -> bytes:
    data = dict(card.data)
    if card.book is not None:
        data[_BOOK] = book_object(card.book)
    spec = CardSpec.V2 if card.spec is CardSpec.V1 else card.spec
    whole = {**card.rest, "spec": spec.value, "spec_version": _VERSIONS[spec], "data": data}
    return (json.dumps(whole, ensure_ascii=False, indent=2) + "\n").encode()


def _without_assets(card: Card) -> Card:
    """Leave out the assets that would have to lie beside the card."""
    assets = card.data.get("assets")
    if not isinstance(assets, list):
        return card
    left = [one for one in assets if not (isinstance(one, dict) and _is_inside(one.get("uri")))]
    return replace(card, data={**card.data, "assets": left})


def _is_inside(uri: object) -> bool:
    # The specification spells it so.
    return isinstance(uri, str) and uri.startswith("embeded://")


def _archive(card: Card, like: bytes | None, name: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_INSIDE, _json(replace(card, spec=CardSpec.V3)))
        if like is not None:
            try:
                with zipfile.ZipFile(io.BytesIO(like)) as before:
                    for one in before.namelist():
                        if one != _INSIDE:
                            archive.writestr(one, before.read(one))
            except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
                raise FormatError(f"is no charx ({error})", file=name) from error
    return made.getvalue()
