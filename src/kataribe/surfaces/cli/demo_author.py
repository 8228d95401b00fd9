"""The demo's second half: what an author sees over everybody's shoulder, and a story that might have been."""

from __future__ import annotations

import kataribe as face
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli import terminal as screen
from kataribe.surfaces.cli import view_pages as pages

CANON, BRANCH = "yoimachi", "yoimachi-if"
IF_TEXT = """\
【知る者：全員】嵐は夜のうちに沖へそれ、宵待町には風も吹かなかった。

【知る者：澪】澪は灯台へ行かず、誰にも告げずに、灯守とは誰だったのだろうと思いながら朝の連絡船で東京へ発った。
"""
QUESTION = "灯守は誰だった？"


def show_views(kataribe: face.Kataribe) -> None:
    """Show the matrix, a difference between two characters, and why one of them does not know a secret."""
    output.heading("the author's matrix: what each gains in each episode")
    screen.show_matrix(kataribe.story(CANON).views.matrix(lines=False))
    output.heading("what 宗一 knows at episode 4 that 澪 does not, and the other way round")
    here, there = (face.Viewer(story=CANON, persona=who, at=4) for who in ("宗一", "澪"))
    found = kataribe.story(CANON).views.diff(here, there)
    for mark, lines in (("+", found.only_left), ("-", found.only_right)):
        for line in lines:
            output.result(f"  {mark} [ep {line.episode_no}] {line.text}")
    output.heading("why does 澪 not know it at episode 3?")
    for why in kataribe.story(CANON).views.why(there_at(3), text="灯守の正体は蓮", top_k=1):
        output.result(f"  {pages.verdict(why)}: {why.text}")
        for check in why.checks:
            output.result(f"    {'yes' if check.ok else 'NO '} {check.says}")
    told = kataribe.story(CANON).views.timeline(text="灯守の正体は蓮")
    learned = [f"{who.name} {who.episode_no or 'never'}" for who in told.learned]
    output.result(f"  who learns it, in which episode: {', '.join(learned)}")


def there_at(no: int) -> face.Viewer:
    """Stand where 澪 stands at an episode."""
    return face.Viewer(story=CANON, persona="澪", at=no)


def show_branch(kataribe: face.Kataribe) -> None:
    """Fork an IF story and ask both lines the same question."""
    output.heading("what if the storm had passed by? a branch after episode 4")
    kataribe.story(CANON).branches.add(BRANCH, after=4)
    kataribe.story(BRANCH).episodes.put(no=5, text=IF_TEXT)
    kataribe.story(BRANCH).sync()
    for story_id, name in ((CANON, "canon "), (BRANCH, "branch")):
        hits = kataribe.recall(QUESTION, story=story_id, persona="澪", at=6, top_k=1).hits
        for hit in hits:
            assert isinstance(hit, face.FactHit)
            output.result(f"  {name} 澪 at episode 6  [ep {hit.episode_no}] {hit.text}")
    apart = kataribe.story(CANON).views.compare(BRANCH, before=6)
    output.result(
        f"  up to there {apart.shared} episodes are shared; "
        f"{output.count(len(apart.only_left), 'fact')} only in canon, "
        f"{len(apart.only_right)} only in the branch"
    )
