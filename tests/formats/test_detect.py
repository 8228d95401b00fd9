from __future__ import annotations

import pytest

from kataribe.formats.detect import told_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("ジョバンニは星を見た。", "ja"),
        ("銀河鉄道", "ja"),
        ("ﾊﾝｶｸのカナ", "ja"),
        ("了解しました。See you at the station tomorrow", "ja"),
        ("Mr. Utterson the lawyer", "en"),
        ("She named the ship Hoshi (星), and sailed away over the wide grey sea that very night.", "en"),
        ("Café naïve Ελλάδα", "en"),
        ("", "en"),
        ("123 … !", "en"),
    ],
)
def test_the_language_is_told_by_the_letters(text: str, language: str) -> None:
    assert told_language(text) == language
