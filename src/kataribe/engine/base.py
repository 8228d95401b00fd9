"""What every verb stands on: the ledger, the engines that are not ours, and one hop off the loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import Any, TypeVar

from kataribe.domain.audit import AuditNote, AuditScope
from kataribe.domain.evidence import AudienceMode, audience_mode
from kataribe.domain.knowledge.documents import DocumentText
from kataribe.domain.memory import Kind
from kataribe.domain.recall.calibration import minimum_similarity
from kataribe.domain.recall.policy_file import NO_TUNING, Tuning
from kataribe.domain.recall.ranking import DEFAULT_RECALL, RecallPolicy
from kataribe.domain.records import Trace
from kataribe.domain.space import Space
from kataribe.domain.story.folder import BookText
from kataribe.domain.story.inputs import Story
from kataribe.domain.story.undo import Scope
from kataribe.domain.terms import RULES, Extra, Language
from kataribe.domain.work import WorkPolicy
from kataribe.engine.asked_before import AskedBefore
from kataribe.engine.audit_sink import AuditOutbox
from kataribe.engine.auditing import ACTING, AuditedLedger, Auditor, NotedTransaction
from kataribe.engine.group_commit import GroupCommit
from kataribe.engine.hook_outbox import HookOutbox
from kataribe.engine.keyring import KeyRing, KeysOpener
from kataribe.engine.kinds import owner_of, owners_of
from kataribe.engine.protection import ProtectedLedger, Protection
from kataribe.errors import (
    EmbedderError,
    EmbedderMismatchError,
    InputError,
    KataribeError,
    StoreError,
    retold,
)
from kataribe.ports import (
    Answerer,
    Clock,
    Embedder,
    Extractor,
    Judge,
    Ledger,
    NotWarmError,
    Planner,
    Processes,
    Proofreader,
    Reranker,
    Seal,
    Summarizer,
    Telemetry,
    TokenCounter,
    Transaction,
    VectorIndex,
    View,
    Worded,
)
from kataribe.ports.audit import AuditSink
from kataribe.ports.backups import RemoteBackup
from kataribe.ports.bundles import RowTables
from kataribe.ports.hooks import Webhook
from kataribe.ports.telemetry import UNWATCHED
from kataribe.story.desk.undo import Recording, recorded
from kataribe.story.fingerprints import story_of
from kataribe.work.crew import Crew, SpaceWork
from kataribe.work.embed import embed_texts
from kataribe.work.owner import Owner
from kataribe.work.path import CHUNK, Progress, WorkTools
from kataribe.work.task import Embedded, SyncReport, words_of

T = TypeVar("T")

ASKED_TOGETHER = 4
"""Episodes a model reads at once: what a kill can lose is paid for again."""


@dataclass(frozen=True, slots=True)
class Hint:
    """What the last look at one home said: who embeds for it, and whose names are no words of a question."""

    embedder: str
    embedder_id: str
    title: str
    by_turns: bool
    voices: dict[str, int]


@dataclass(frozen=True, slots=True)
class Hints:
    """How a viewer's last question was embedded: tried first, and looked up anew when it does not fit.

    `erasures` is how many there had been when it was looked who is there.
    """

    language: Language
    homes: tuple[Hint, ...]
    erasures: int = 0


TRACES_KEPT = 1024
"""How many traces may wait to be written; a kill loses those that do."""


def _nobody(name: str) -> Any:
    """Refuse a name where nobody was handed in for a part."""
    raise InputError(f"there is no {name!r} here; choose another or leave it out")


CronTimes = Callable[[str, tzinfo, datetime], Iterator[datetime]]
"""An expression, its zone, and the moment after which its moments are wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What does the work that is not ours: found by name, made on first use.

    `embedder` raises `MissingExtraError` for one that is not installed and `InputError` for
    an unknown name; `default_embedder` names the one a language gets. `extractor` gives one
    by name, `rules` or `provider:model`, and raises `InputError` for a name that is neither;
    it asks nobody and loads no model's package: that waits until a text is read. So do
    `planner` (`rules`, or a model), `reranker` (`cross-encoder`, or a model), `judge`, `answerer`,
    `proofreader` and `summarizer` (a model). `counter` counts tokens: `estimate`, or `tokenizer:PATH`.
    `book` takes the text out of a `.docx` or `.epub`, given its bytes and its name (None: none is read);
    `document` that of a library's document (None: `.txt` alone is read). `cron` gives the moments later
    than one that a cron expression names in a zone (None: nothing is scheduled).
    `traces_kept` is how many traces of each story and user stay. `index` is an index outside the
    store that proposes what is looked at (None: the store's own does all). `hook` is told what becomes of
    memory (None: nobody is). `default_model`
    reads new stories, and sums up what new users say, where none is named; `default_reranker` orders
    what recall found (None: nothing). `keys` opens the key store of a store (None: there is none, and
    no record is kept); `seal` gives what seals under its keys what users say, and their profiles
    (None: words are kept as they were said, and there can be no profile); `audit` says of what a record
    is kept, and `audit_sink` where besides the ledger (None: nowhere). `tables` writes an export's tables
    for programs that read columns (None: they are left out). `remote_backup` gives the place of a
    backup that a URL names (None: backups are files of this machine).
    """

    embedder: Callable[[str], Embedder]
    default_embedder: Callable[[Language], str]
    extractor: Callable[[str], Extractor]
    planner: Callable[[str], Planner] = _nobody
    reranker: Callable[[str], Reranker] = _nobody
    judge: Callable[[str], Judge] = _nobody
    answerer: Callable[[str], Answerer] = _nobody
    proofreader: Callable[[str], Proofreader] = _nobody
    summarizer: Callable[[str], Summarizer] = _nobody
    counter: Callable[[str], TokenCounter] = _nobody
    book: Callable[[bytes, str], BookText] | None = None
    document: Callable[[str, bytes | str, str], DocumentText] | None = None
    cron: CronTimes | None = None
    clock: Clock
    processes: Processes
    policy: WorkPolicy = field(default_factory=WorkPolicy)
    recall_policy: RecallPolicy = DEFAULT_RECALL
    traces_kept: int = 10_000

    @property
    def plans(self) -> bool:
        """Whether there is anybody to plan a search."""
        return self.planner is not _nobody

    index: VectorIndex | None = None
    hook: Webhook | None = None
    default_model: str = RULES
    default_reranker: str | None = None
    tuning: Tuning = NO_TUNING
    telemetry: Telemetry = UNWATCHED
    keys: KeysOpener | None = None
    audit_sink: AuditSink | None = None
    audit: AuditScope = AuditScope.USERS
    seal: Callable[[], Seal] | None = None
    tables: RowTables | None = None
    remote_backup: Callable[[str], RemoteBackup] | None = None

    def recall_policy_for(self, embedder_id: str) -> RecallPolicy:
        """Give the numbers of recall where memories are embedded by this embedder: ours, or as tuned."""
        return self.tuning.policy(embedder_id, self.recall_policy)

    def minimum_similarity(self, embedder_id: str, kind: Kind) -> float | None:
        """Give the least cosine that is worth using, as tuned or as shipped; None: nobody measured it."""
        tuned = self.tuning.minimum(embedder_id, kind)
        return minimum_similarity(embedder_id, kind) if tuned is None else tuned


def check_installed(home: str, embedder_id: str, embedder: Embedder) -> None:
    """Raise `EmbedderMismatchError` unless what is installed embedded `home` (S4-98)."""
    if embedder_id != embedder.embedder_id:
        raise EmbedderMismatchError(
            f"{home} was embedded by {embedder_id}, installed is {embedder.embedder_id}; "
            f"run `kataribe rebuild`"
        )


class StoreMakers:
    """Whom an owner's work asks, and what its tasks keep as long as the store is open."""

    def __init__(self, services: Services) -> None:
        self.embedder = services.embedder
        self.extractor = services.extractor
        self.summarizer = services.summarizer
        self.clock = services.clock
        self._kept: dict[object, Any] = {}

    def forget(self) -> None:
        """Keep nothing any more of what was kept."""
        self._kept = {}

    def kept(self, kind: Callable[[], T]) -> T:
        """Give what is kept of a kind; made when missing."""
        if kind not in self._kept:
            self._kept[kind] = kind()
        found: T = self._kept[kind]
        return found


def _auditor(services: Services) -> Auditor | None:
    if services.keys is None:
        return None
    return Auditor(KeyRing(services.keys, services.clock), services.audit, services.clock)


def _protection(services: Services, auditor: Auditor | None) -> Protection | None:
    if auditor is None or services.seal is None:
        return None
    return Protection(auditor.keyring, services.seal)


class Base:
    """A store and what works on it; not a face of its own."""

    def __init__(self, ledger: Ledger, services: Services) -> None:
        self._services = services
        self._makers = StoreMakers(services)
        self._auditor = _auditor(services)
        self._protection = _protection(services, self._auditor)
        kept = ledger if self._protection is None else ProtectedLedger(ledger, self._protection)
        self._ledger = kept if self._auditor is None else AuditedLedger(kept, self._auditor)
        self._writes = GroupCommit(self._ledger)
        self._notes: deque[AuditNote] = deque(maxlen=TRACES_KEPT)
        self._notes_lost = 0
        sink = services.audit_sink
        self._outbox = None if sink is None else AuditOutbox(ledger, sink)
        hook = services.hook
        self._hooks = None if hook is None else HookOutbox(ledger, hook, services.clock, services.processes)
        self._delivering: asyncio.Task[None] | None = None
        self._hints: dict[object, Hints] = {}
        self._languages: dict[str, Language] = {}
        self._harmless_texts: dict[tuple[Language, str], None] = {}
        self._asked_before = AskedBefore()
        self._traces: deque[Trace] = deque(maxlen=TRACES_KEPT)
        self._flushing: asyncio.Task[None] | None = None
        self._is_closed = False

    async def flush(self) -> None:
        """Write what waits to be written; whatever lets something wait adds to it."""

    async def stories(self) -> tuple[Story, ...]:
        """Give all stories, by id (author)."""
        return await self._read(lambda ledger: ledger.stories())

    async def story(self, story_id: str) -> Story:
        """Give one story (author). Raises `NotFoundError`."""
        return await self._read(lambda ledger: story_of(ledger, story_id))

    def _new_story(
        self,
        story_id: str,
        language: Language,
        *,
        title: str | None,
        embedder: str | None,
        extra: Extra | None = None,
        told: bool = False,
        model: str | None = None,
        audience: AudienceMode | str | None = None,
    ) -> Story:
        extractor = model or self._services.default_model
        name = embedder or self._services.default_embedder(language)
        return Story(
            story_id=story_id,
            title=title,
            language=language,
            language_told=told,
            embedder=name,
            embedder_id=self._services.embedder(name).embedder_id,
            extractor=extractor,
            extractor_id=self._services.extractor(extractor).extractor_id,
            audience=AudienceMode.EVIDENT if audience is None else audience_mode(audience),
            extra=extra or {},
        )

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreError("the store is closed; open it again")

    def _reason_of(self, error: KataribeError) -> str:
        """Say what went wrong with what is a user's; without words, unless the settings let them out."""
        return str(error) if self._services.telemetry.tells_texts else error.wordless

    def hush(self, error: KataribeError, of: Space | None) -> None:
        """Take the words of others out of an error; what is about a story or a library alone keeps them."""
        if not self._services.telemetry.tells_texts and (of is None or of.is_personal):
            error.hush()

    async def _read(self, ask: Callable[[View], T]) -> T:
        self._check_open()

        def run() -> T:
            with self._ledger.reading() as ledger:
                return ask(ledger)

        return await asyncio.to_thread(run)

    async def _look(self, ask: Callable[[View], T]) -> T:
        """Read at once where everything lies ready in memory, which spares two hops between threads."""
        self._check_open()
        try:
            with self._ledger.reading(warm=True) as ledger:
                return ask(ledger)
        except NotWarmError:
            return await self._read(ask)

    async def _write(self, act: Callable[[Transaction], T]) -> T:
        self._check_open()
        verb = ACTING.get()

        def run(tx: Transaction) -> T:
            found = act(tx)
            if isinstance(tx, NotedTransaction):
                tx.settle(verb)
            return found

        found = await self._writes.write(run)
        self._deliver_soon()
        self._hints.clear()
        self._languages.clear()
        return found

    async def _delete(self, act: Callable[[Transaction], T]) -> T:
        """Write what deletes. Raises `ArchiveError` where it is deleted, but not yet in the archive."""
        found = await self._write(act)
        await asyncio.to_thread(self._ledger.clear_archive)
        return found

    def _deliver_soon(self) -> None:
        """Hand the audit record on, off this write's path."""
        if self._outbox is not None and (self._delivering is None or self._delivering.done()):
            self._delivering = asyncio.create_task(self._deliver())

    async def _deliver(self) -> None:
        if self._outbox is not None:
            with suppress(StoreError):
                # It waits in the ledger; looking the record over says so.
                await asyncio.to_thread(self._outbox.deliver)

    def _recorded(
        self, ledger: Transaction, story_id: str, scope: Scope
    ) -> AbstractContextManager[Recording]:
        return recorded(ledger, self._services.clock, story_id, scope)

    async def _owners(self, of: Space | None) -> tuple[Owner, ...]:
        return await self._read(lambda view: owners_of(view, of))

    async def _owner(self, of: Space) -> Owner:
        return await self._read(lambda view: owner_of(view, of))

    def _current(self, story: Story) -> Story:
        made = self._new_story(
            story.story_id,
            story.language,
            title=story.title,
            embedder=story.embedder,
            model=story.extractor,
        )
        return replace(story, embedder_id=made.embedder_id, extractor_id=made.extractor_id)

    def _tools(self, *, together: int = CHUNK) -> WorkTools:
        return WorkTools(
            ledger=self._ledger,
            clock=self._services.clock,
            policy=self._services.policy,
            together=together,
            tells_texts=self._services.telemetry.tells_texts,
        )

    async def _works(
        self,
        owner: Owner,
        report: SyncReport,
        crew: Crew,
        *,
        anew: bool = False,
        again: bool = False,
        progress: Progress | None = None,
    ) -> list[SpaceWork[Any]]:
        """Make ready to bring up what an owner has, space by space. Raises `EmbedderMismatchError`."""
        task, *further = owner.tasks(self._makers, again=again)
        check_installed(f"{owner.space.type} {owner.name!r}", owner.embedder_id, task.embedder)
        spaces = await self._read(owner.spaces)
        tools = self._tools(together=ASKED_TOGETHER if owner.asks_model else CHUNK)
        works: list[SpaceWork[Any]] = [
            SpaceWork(
                tools, task, space, report, crew, name=owner.called(space), anew=anew, progress=progress
            )
            for space in spaces
        ]
        # What is made further of memory is due again whenever memory has changed meanwhile.
        works += [
            SpaceWork(tools, one, space, report, crew, name=owner.called(space))
            for one in further
            for space in spaces
        ]
        return works

    def _at_hand(self, view: View, story_id: str) -> Embedded:
        """Give nothing embedded, but who would embed it: for texts that have their vectors.

        Where the story's embedder is not the one installed, nobody is at hand.
        """
        story = story_of(view, story_id)
        try:
            embedder = self._services.embedder(story.embedder)
            is_ours = not isinstance(embedder, Worded) or embedder.embedder_id == story.embedder_id
        except KataribeError:
            return Embedded({}, {}, "")
        return Embedded({}, {}, story.embedder_id if is_ours else "", words_of(embedder))

    async def _vectors(self, story_id: str, given: Sequence[str]) -> Embedded:
        story = await self.story(story_id)
        embedder = self._services.embedder(story.embedder)
        check_installed(f"story {story_id!r}", story.embedder_id, embedder)
        embedded = await embed_texts(given, embedder, told=retold)
        if embedded.failures:
            raise EmbedderError(next(iter(embedded.failures.values())))
        return embedded
