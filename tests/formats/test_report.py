"""Reports open in a spreadsheet and in a browser, and hold texts as they are."""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser

import pytest

from kataribe.formats.report import Linked, Report, Sheet, to_csv, to_html

HOSTILE = "</td><script>alert(\"x\")</script>&amp; <b>'太字'</b>"


class Reader(HTMLParser):
    """Reads what a page holds: its tags with attributes, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.said: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


def test_csv_reads_back_as_it_was() -> None:
    rows = [("第一話", 3, 'comma, "quotes"\nand a line'), ("", None, "ｶﾞ")]
    text = to_csv(("名", "n", "text"), rows)
    assert text.count("\r\n") == 3
    back = list(csv.reader(io.StringIO(text, newline="")))
    assert back == [["名", "n", "text"], ["第一話", "3", 'comma, "quotes"\nand a line'], ["", "", "ｶﾞ"]]


@pytest.mark.parametrize("text", ["=1+1", "+81", "-1", "@cmd", "\tx"])
def test_no_text_becomes_a_formula(text: str) -> None:
    (row,) = csv.reader(io.StringIO(to_csv(("a",), [(text,)]).split("\r\n", 1)[1], newline=""))
    assert row == [f"'{text}"]


def test_numbers_stay_numbers_in_csv() -> None:
    assert to_csv(("a",), [(-1,)]) == "a\r\n-1\r\n"


def test_html_shows_hostile_texts_as_texts() -> None:
    sheet = Sheet(title=HOSTILE, head=(HOSTILE,), rows=[(HOSTILE,)], hints=(HOSTILE,))
    page = to_html(Report(title=HOSTILE, language="ja", notes=(HOSTILE,), sheets=(sheet,)))
    found = read(page)
    assert "script" not in {tag for tag, _ in found.tags}
    assert "b" not in {tag for tag, _ in found.tags}
    assert [said.strip() for said in found.said].count(HOSTILE) == 6, (
        "title, heading, note, caption, head, cell"
    )
    assert [attrs["title"] for tag, attrs in found.tags if tag == "th"] == [HOSTILE]


def test_html_needs_nothing_from_outside() -> None:
    sheet = Sheet(title="t", head=("a", "b"), rows=[("x", Linked(text="2", target="g0"))], anchors=("g0",))
    page = to_html(Report(title="t", language="en", sheets=(sheet,)))
    found = read(page)
    assert not {tag for tag, _ in found.tags} & {"script", "link", "img", "iframe", "object"}
    assert all((attrs.get("href") or "#").startswith("#") for _, attrs in found.tags)
    assert "src" not in {name for _, attrs in found.tags for name in attrs}
    assert "url(" not in page
    assert "@import" not in page
    policies = [a["content"] for t, a in found.tags if t == "meta" and a.get("http-equiv")]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]
    assert "prefers-color-scheme:dark" in page


def test_links_lead_to_rows_that_are_there() -> None:
    sheet = Sheet(
        title="grid",
        head=("", "1"),
        rows=[("澪", Linked(text="2", target="g0")), ("蓮", None)],
        anchors=("g0", ""),
        grid=True,
    )
    found = read(to_html(Report(title="t", language="ja", sheets=(sheet,))))
    ids = {attrs["id"] for _, attrs in found.tags if "id" in attrs}
    targets = {(attrs["href"] or "")[1:] for _, attrs in found.tags if "href" in attrs}
    assert targets == ids == {"g0"}
    assert [attrs.get("scope") for tag, attrs in found.tags if tag == "th"] == ["col", "col", "row", "row"]


def test_the_page_says_its_language() -> None:
    found = read(to_html(Report(title="t", language="ja")))
    assert ("html", {"lang": "ja"}) in found.tags
