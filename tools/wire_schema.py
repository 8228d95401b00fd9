"""Write the JSON Schema of all that leaves the program: `python tools/wire_schema.py`."""

from __future__ import annotations

import json
from pathlib import Path

from kataribe.formats.wire.schema import json_schema

if __name__ == "__main__":
    target = Path(__file__).parent.parent / "src" / "kataribe" / "formats" / "wire" / "schema.json"
    target.write_text(json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
