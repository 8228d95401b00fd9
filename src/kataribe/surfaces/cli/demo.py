"""`kataribe demo`: two stories that ship with the package, played through the public face."""

from __future__ import annotations

import time
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.cells import set_cell_size

import kataribe as face
from kataribe.surfaces.cli import (
    demo_author,
    demo_both,
    demo_doors,
    demo_plain,
    demo_privacy,
    demo_recall,
    demo_tiers,
    output,
)

STORIES = ("yoimachi", "lantern-isle")


def register(app: typer.Typer) -> None:
    """Hang the command onto the root."""
    app.command("demo")(demo)


def demo(
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="FILE", help="Keep the demo's store in this new file.")
    ] = None,
) -> None:
    """Play the stories and talks that come with kataribe: who remembers what, as of when."""
    begun = time.perf_counter()
    with TemporaryDirectory() as folder:
        path = str(keep) if keep is not None else str(Path(folder) / "demo.db")
        bundled = files("kataribe")
        with (
            face.open(path) as kataribe,
            as_file(bundled / "stories") as stories,
            as_file(bundled / "talks") as talks,
        ):
            _ingest(kataribe, stories)
            _differ(kataribe)
            _follow(kataribe)
            demo_author.show_views(kataribe)
            demo_author.show_branch(kataribe)
            _text_alone(kataribe, stories)
            demo_plain.show_plain(kataribe)
            demo_recall.show_answers(kataribe)
            demo_recall.show_talk(kataribe, talks)
            demo_both.show_both(kataribe)
            demo_tiers.show_tiers(kataribe)
            demo_privacy.show_privacy(kataribe)
            demo_doors.show_doors(kataribe, path)
            told = [(story_id, story_id, "facts") for story_id in STORIES]
            demo_recall.show_probes(kataribe, stories, [*told, ("yoimachi-text", "yoimachi", "text")])
            found = kataribe.verify()
    output.heading("and verify")
    output.result(
        f"  {'sound' if found.ok else 'NOT SOUND'}: {found.memories} memories made again and compared"
    )
    output.result("")
    output.result(f"done in {time.perf_counter() - begun:.1f} s")
    if not found.ok:
        raise typer.Exit(1)


def _ingest(kataribe: face.Kataribe, stories: Path) -> None:
    output.heading("two stories go in")
    for story_id in STORIES:
        report = kataribe.story(story_id).import_folder(stories / story_id)
        done = kataribe.story(story_id).sync()
        story = kataribe.story(story_id).info()
        output.result(
            f"  {story_id} 「{story.title}」: {len(report.new)} episodes, {report.facts} facts, "
            f"{len(kataribe.story(story_id).cast.list())} characters, {done.embedded} texts embedded"
        )
        output.result(f"    embedder {story.embedder_id}, model {story.extractor_id}, reranker none")


def _ask(kataribe: face.Kataribe, story_id: str, question: str, character: str, at: int) -> None:
    found = kataribe.recall(question, story=story_id, persona=character, at=at, top_k=1)
    who = set_cell_size(f"{character} at episode {at}", 20)
    if not found.hits:
        output.result(f"  {who} (remembers nothing)")
    for hit in found.hits:
        assert isinstance(hit, face.FactHit)
        secret = "" if hit.scope == "world" else "  *secret*"
        output.result(f"  {who} [ep {hit.episode_no}] {hit.text}{secret}")


def _differ(kataribe: face.Kataribe) -> None:
    question = "灯守は誰だった？"
    output.heading(f"one question, many memories: {question}")
    for character, at in (
        ("澪", 1),
        ("蓮", 2),
        ("澪", 3),
        ("澪", 4),
        ("澪", 6),
        ("源造", 6),
        ("小夜", 8),
        ("宗一", 9),
    ):
        _ask(kataribe, "yoimachi", question, character, at)
    question = "Who is the Lamplighter?"
    output.heading(f"the same in English: {question}")
    for character, at in (("wren", 1), ("odile", 3), ("wren", 3), ("wren", 8), ("juniper", 8)):
        _ask(kataribe, "lantern-isle", question, character, at)


def _follow(kataribe: face.Kataribe) -> None:
    story_id, question = "lantern-isle", "Which day does the ferry leave?"
    output.heading(f"memory follows every edit: {question}")
    output.result("  as the story stands (the newer fact supersedes the older):")
    _ask(kataribe, story_id, question, "odile", 4)
    _ask(kataribe, story_id, question, "odile", 5)
    output.result("  episode 4 is deleted:")
    kataribe.story(story_id).episodes.delete(no=4)
    _ask(kataribe, story_id, question, "odile", 5)
    output.result("  and restored, its text edited: SUNDAY becomes MONDAY")
    kataribe.story(story_id).episodes.restore(no=4)
    text = kataribe.story(story_id).episodes.get(no=4).text
    changed = text.replace("SUNDAY", "MONDAY").replace("Sunday", "Monday")
    kataribe.story(story_id).episodes.put(no=4, text=changed)
    pending = kataribe.recall(question, story=story_id, persona="odile", at=5).pending_episodes
    output.result(f"  (stale at once, pending: {list(pending)}; now synced)")
    kataribe.story(story_id).sync()
    _ask(kataribe, story_id, question, "odile", 5)
    waiting = [item for item in kataribe.story(story_id).facts.review() if item.in_review]
    for old in waiting:
        output.result(f"  waits in review, its quote is gone: {old.text}")
    _mend(kataribe, story_id, waiting)
    output.result("  the author mends it:")
    _ask(kataribe, story_id, question, "odile", 5)


def _mend(kataribe: face.Kataribe, story_id: str, waiting: list[face.ReviewItem]) -> None:
    for old in waiting:
        new = old.text.replace("Sunday", "Monday")
        quote = (old.quote or "").replace("SUNDAY", "MONDAY").replace("Sunday", "Monday")
        kataribe.story(story_id).facts.edit(old.fact_id, face.FactEdit(text=new, quote=quote))


def _text_alone(kataribe: face.Kataribe, stories: Path) -> None:
    output.heading(
        "without ready-made facts: the rules read the texts, the author's annotations say who knows"
    )
    kataribe.story("yoimachi-text").import_folder(stories / "yoimachi", only="text")
    done = kataribe.story("yoimachi-text").sync()
    output.result(f"  {done.embedded} sentences embedded, {done.in_review} wait in review")
    for character, at in (("澪", 3), ("澪", 6), ("宗一", 9)):
        _ask(kataribe, "yoimachi-text", "灯守の正体は？", character, at)
