"""Settings out of arguments, the environment and one file."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest
from pydantic_ai.models.wrapper import WrapperModel

import kataribe
from kataribe.adapters.pydantic_ai.names import Asking, read_name
from kataribe.adapters.pydantic_ai.providers import make_model
from kataribe.errors import FormatError, InputError
from kataribe.settings import (
    OTHER_VARIABLES,
    SETTINGS,
    Settings,
    from_environment,
    unknown_variables,
    variable_of,
)

DOCS = Path(__file__).parent.parent / "docs" / "reference.md"

WHOLE = """
webhook = "http://127.0.0.1:1/told"
db = "stories.db"
index = "memory://"
busy_seconds = 2
durability = "full"
arena_bytes = 1000
model = "openai:gpt-4.1"
embedder = "openai:text-embedding-3-large"
reranker = "cross-encoder:語り部/小さい"
temperature = 0.2
base_url = "http://localhost:1/v1"
model_seconds = 7.5
minilm = "model"
policy = "policy.toml"
trace_text = true
traces_kept = 3
archive = "old texts"
keys = "keys/k.keys"
audit = "all"
audit_sink = "audit.jsonl"

[backups]
folder = "backups"
cron = "0 5 * * *"
keep_daily = 3
keep_weekly = 2

[upstream]
model = "ollama:qwen3:8b"
url = "http://127.0.0.1:11434/v1"
seconds = 5
raw = true
"""


def written(folder: Path, text: str) -> dict[str, str]:
    file = folder / "kataribe.toml"
    file.write_text(text, encoding="utf-8")
    return {"KATARIBE_SETTINGS": str(file)}


def test_a_file_sets_everything(tmp_path: Path) -> None:
    """Files that it names lie beside it."""
    found = from_environment(None, written(tmp_path, WHOLE))
    assert found == Settings(
        path=str(tmp_path / "stories.db"),
        index="memory://",
        busy_seconds=2,
        durability="full",
        arena_bytes=1000,
        model="openai:gpt-4.1",
        embedder="openai:text-embedding-3-large",
        reranker="cross-encoder:語り部/小さい",
        temperature=0.2,
        base_url="http://localhost:1/v1",
        model_seconds=7.5,
        minilm=str(tmp_path / "model"),
        policy=str(tmp_path / "policy.toml"),
        trace_text=True,
        traces_kept=3,
        archive=str(tmp_path / "old texts"),
        key_store=str(tmp_path / "keys" / "k.keys"),
        audit="all",
        audit_sink=str(tmp_path / "audit.jsonl"),
        backups_folder=str(tmp_path / "backups"),
        backups_cron="0 5 * * *",
        backups_keep_daily=3,
        backups_keep_weekly=2,
        upstream_model="ollama:qwen3:8b",
        upstream_url="http://127.0.0.1:11434/v1",
        upstream_seconds=5,
        upstream_raw=True,
        webhook="http://127.0.0.1:1/told",
    )
    assert set(found.origins) == set(SETTINGS)
    assert set(found.origins.values()) == {str(tmp_path / "kataribe.toml")}


def test_every_setting_has_a_variable_too() -> None:
    given = {
        "KATARIBE_DB": "a.db",
        "KATARIBE_INDEX": "memory://x",
        "KATARIBE_MODEL": "ollama:qwen3:8b",
        "KATARIBE_EMBEDDER": "hash",
        "KATARIBE_RERANKER": "cross-encoder",
        "KATARIBE_TEMPERATURE": "0",
        "KATARIBE_TRACE_TEXT": "1",
        "KATARIBE_ARENA_BYTES": "0",
        "KATARIBE_BASE_URL": "",
    }
    found = from_environment(None, given)
    assert (found.path, found.index, found.model) == ("a.db", "memory://x", "ollama:qwen3:8b")
    assert (found.embedder, found.reranker, found.temperature) == ("hash", "cross-encoder", 0.0)
    assert (found.trace_text, found.arena_bytes, found.base_url) == (True, 0, None)
    assert found.origins == {key: variable_of(key) for key in found.origins}
    assert "base_url" not in found.origins


def test_an_argument_goes_before_a_variable_and_that_before_the_file(tmp_path: Path) -> None:
    given = written(tmp_path, 'db = "file.db"\nmodel = "openai:x"\nbusy_seconds = 1')
    given |= {"KATARIBE_DB": "variable.db", "KATARIBE_BUSY_SECONDS": "5"}
    found = from_environment("argument.db", given, base_url="http://here", policy="p.toml")
    assert (found.path, found.busy_seconds, found.model) == ("argument.db", 5.0, "openai:x")
    assert found.origins == {
        "db": "--db",
        "busy_seconds": "KATARIBE_BUSY_SECONDS",
        "model": str(tmp_path / "kataribe.toml"),
        "base_url": "--base-url",
        "policy": "--policy",
    }
    assert from_environment(None, {}).origins == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('modle = "openai:x"', "there is no setting 'modle'; did you mean 'model'?"),
        ("busy_second = 1", "did you mean 'busy_seconds'?"),
        ("xyzzy = 1", "there is no setting 'xyzzy'; there are db, index"),
        ('OPENAI_API_KEY = "sk"', "keys of providers stand in the environment alone"),
        ("model = 3", "model must be text, not 3"),
        ("trace_text = 1", "trace_text must be true or false, not 1"),
        ("arena_bytes = true", "arena_bytes must be a whole number, not True"),
        ("arena_bytes = 1.5", "arena_bytes must be a whole number, not 1.5"),
        ('temperature = "warm"', "temperature must be a number, not 'warm'"),
        ("[model]", "model must be text"),
        ("[backups]\nkeep = 3", "there is no setting 'backups_keep'; did you mean 'backups_keep_"),
        ("[backups]\nkeep_daily = true", "backups_keep_daily must be a whole number, not True"),
        ("backups = 3", "there is no setting 'backups'"),
        ("model = ", "is no TOML"),
    ],
)
def test_what_a_file_says_wrong_is_refused_with_its_name(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(FormatError) as refused:
        from_environment(None, written(tmp_path, text))
    assert said in str(refused.value)
    assert str(refused.value).startswith(str(tmp_path / "kataribe.toml"))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        from_environment(None, {"KATARIBE_SETTINGS": str(tmp_path / "none.toml")})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("KATARIBE_TEMPERATURE", "hot"),
        ("KATARIBE_TEMPERATURE", "3"),
        ("KATARIBE_TEMPERATURE", "nan"),
        ("KATARIBE_INDEX", "memory"),
        ("KATARIBE_BUSY_SECONDS", "inf"),
        ("KATARIBE_DB", ""),
        ("KATARIBE_DB", "sqlite://host/k.db"),
        ("KATARIBE_DURABILITY", ""),
    ],
)
def test_a_variable_that_makes_no_sense_is_refused(name: str, value: str) -> None:
    with pytest.raises(InputError):
        from_environment(None, {name: value})


@pytest.mark.parametrize(
    ("given", "path", "ledger"),
    [
        ("k.db", "k.db", "sqlite"),
        ("/tmp/語り部.db", "/tmp/語り部.db", "sqlite"),
        (":memory:", ":memory:", "sqlite"),
        ("sqlite:///k.db", "k.db", "sqlite"),
        ("sqlite:////tmp/語り部.db", "/tmp/語り部.db", "sqlite"),
        ("sqlite:///:memory:", ":memory:", "sqlite"),
        ("sqlite://", ":memory:", "sqlite"),
        ("postgresql://host/db", "postgresql://host/db", "postgresql"),
        ("C:\\stories\\k.db", "C:\\stories\\k.db", "sqlite"),
    ],
)
def test_a_store_is_a_path_or_a_url(given: str, path: str, ledger: str) -> None:
    assert (Settings(path=given).path, Settings(path=given).ledger) == (path, ledger)


def test_a_store_is_opened_by_its_url(tmp_path: Path) -> None:
    with kataribe.open(f"sqlite:///{tmp_path / 'k.db'}") as opened:
        opened.story("s").create(language="ja", embedder="hash")
    with kataribe.open(str(tmp_path / "k.db")) as opened:
        assert [one.story_id for one in opened.admin.stories()] == ["s"]


def test_a_model_that_is_set_reads_new_stories(tmp_path: Path) -> None:
    """It is asked for no text before one is there, and a story that names one keeps its own."""
    settings = Settings(path=str(tmp_path / "k.db"), model="openai:gpt-x", embedder="hash")
    with kataribe.open(settings=settings) as opened:
        assert opened.story("s").create(language="ja").extractor_id == "openai/gpt-x+facts-2"
        assert opened.story("t").create(language="en", model="rules").extractor_id == "rules-3"


@pytest.mark.parametrize("name", ["openai:x", "anthropic:x", "google:x", "ollama:x"])
def test_models_are_asked_with_the_temperature_that_is_set(name: str) -> None:
    keys = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "GOOGLE_API_KEY": "k"}
    for temperature in (None, 0.2):
        asking = Asking(keys=keys, temperature=temperature)
        made = make_model(read_name(name), asking, httpx2.AsyncClient(timeout=60))
        said = WrapperModel(made).settings
        assert (said or {}).get("temperature") == temperature


def test_variables_that_set_nothing_are_named_with_the_nearest() -> None:
    wrong, strange = variable_of("modle"), variable_of("qqqq")
    given = {wrong: "x", strange: "", "KATARIBE_DB": "", "KATARIBE_CACHE": "", "HOME": ""}
    assert unknown_variables(given) == {wrong: "KATARIBE_MODEL", strange: None}


def test_every_setting_is_in_the_reference() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for key in SETTINGS:
        assert f"`{variable_of(key)}`" in text, key
        assert f"`{key}`" in text, key
    for name in OTHER_VARIABLES:
        assert f"`KATARIBE_{name}`" in text, name
