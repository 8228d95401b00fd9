from __future__ import annotations

import pytest

from kataribe.adapters.rules import RulesExtractor
from kataribe.ports import Extractor
from kataribe.testing.extractor import ExtractorContract


class TestRulesExtractor(ExtractorContract):
    @pytest.fixture
    def extractor(self) -> Extractor:
        return RulesExtractor()
