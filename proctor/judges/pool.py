"""The judges of one run: which models answer a request, built once, asked, closed.

pydantic-ai is imported with the first model that is needed, never by importing this module.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from proctor.errors import JudgeSetupError
from proctor.jsonvalue import digest
from proctor.judges.causes import Cause, one_line, unscored
from proctor.judges.findings import told
from proctor.judges.keys import PYTHON_PREFIX, call_settings, code_identity, provider_endpoint, verdict_key
from proctor.judges.own_server import is_own_server
from proctor.judges.panel import Vote, combine, panel_name
from proctor.judges.pause import Pause
from proctor.judges.self_test import RULE_VERSION, ask_self_test
from proctor.judges.subjects import SUBJECTS, why_unaskable
from proctor.plan import SELF_TEST, JudgeRequest, JudgeSettings
from proctor.results import Verdict

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from proctor.judges.model_judge import ModelJudge

DEFAULT_MODEL = "openai:gpt-4o"
"""The judge where neither the check nor the settings name one (the default of pytest-agent-eval)."""


@dataclass(slots=True)
class _Held:
    """What belongs to one event loop: a model that two loops share breaks."""

    judges: dict[str, ModelJudge] = field(default_factory=dict)
    pauses: dict[str, Pause] = field(default_factory=dict)
    clients: AsyncExitStack = field(default_factory=AsyncExitStack)


class JudgePool:
    """The judges of one run.

    Model strings are pydantic-ai's own, ``self-test``, or ``python:package.module:object``; a ``provider``, which
    makes a model from a model string, takes the place of all of them. ``root`` is where own modules are looked up.
    """

    def __init__(self, settings: JudgeSettings, *, provider: Callable[[str], Model] | None = None, root: Path) -> None:
        self._settings = settings
        self._provider = provider
        self._root = root
        self._held: WeakKeyDictionary[asyncio.AbstractEventLoop, _Held] = WeakKeyDictionary()
        self._identities: dict[str, str] = {}

    def jurors(self, own: str | None) -> tuple[str, ...]:
        """Resolve whom a request asks: the check's own model, else the panel or the model of the settings.

        Empty means none; where nothing is named, it is the default.
        """
        if own or not self._settings.panel:
            return (own or self._settings.model or DEFAULT_MODEL,)
        return self._settings.panel

    def model_id(self, own: str | None) -> str:
        """The name under which the verdict of `jurors` is known: the one model, or ``panel[a,b]``."""
        jurors = self.jurors(own)
        return jurors[0] if len(jurors) == 1 else panel_name(jurors)

    def key(self, request: JudgeRequest, vote: int = 0) -> str:
        """Spell the `verdict_key` of a request, asked of this pool.

        Verdicts of Python objects whose code cannot be told apart get keys that no other pool has, so they are
        never reused.
        """
        name, place = self.model_id(request.model), self._place(self.jurors(request.model))
        return verdict_key(request, name, vote, place, call_settings(self._settings))

    async def prepare(self, model_ids: Iterable[str]) -> None:
        """Build every model before the first call of an agent. Nothing is sent anywhere; no ids, nothing happens.

        Raises JudgeSetupError that names every model that cannot be built, with cause and next step.
        """
        errors: list[JudgeSetupError] = []
        for model_id in dict.fromkeys(model_ids):
            try:
                if not self._is_self_test(model_id):
                    await self._judge(model_id)
            except JudgeSetupError as error:
                errors.append(error)
        if len(errors) == 1:
            raise errors[0]
        if errors:
            lines = "".join(f"\n  {error.message} ({error.hint})" for error in errors)
            raise JudgeSetupError(f"{len(errors)} judges cannot be used:{lines}", hint="correct each of them")

    async def ask(self, request: JudgeRequest) -> Verdict:
        """Ask the judge of a request, or all jurors of the panel at once.

        Whatever the judge does, the result is a verdict; ``passed`` is None when it gave none, and ``cause`` is then
        one of `proctor.judges.causes.Cause`.
        """
        jurors, name = self.jurors(request.model), self.model_id(request.model)
        if why := why_unaskable(request):
            return unscored(name, Cause.SETUP, why)
        votes = await asyncio.gather(*(self._vote(model_id, request) for model_id in jurors))
        return told(votes[0].verdict if len(votes) == 1 else combine(name, votes, request), request)

    async def close(self) -> None:
        """Close the connections that were opened in the running event loop."""
        held = self._held.pop(asyncio.get_running_loop(), None)
        if held is not None:
            await held.clients.aclose()

    async def _vote(self, model_id: str, request: JudgeRequest) -> Vote:
        if self._is_self_test(model_id):
            return Vote(ask_self_test(request), frozenset((SUBJECTS[request.subject].answer.field,)))
        try:
            judge = await self._judge(model_id)
        except JudgeSetupError as error:
            return Vote(unscored(model_id, Cause.SETUP, f"{error.message}; {error.hint}"), frozenset())
        return await judge.ask(request)

    def _is_self_test(self, model_id: str) -> bool:
        return self._provider is None and model_id == SELF_TEST

    async def _judge(self, model_id: str) -> ModelJudge:
        held = self._held.setdefault(asyncio.get_running_loop(), _Held())
        judge = held.judges.get(model_id)
        if judge is None:
            # Stored before the first await, so that two callers never build one model twice.
            judge = held.judges[model_id] = self._build(model_id, held)
            await self._open(judge, held)
        return judge

    async def _open(self, judge: ModelJudge, held: _Held) -> None:
        try:
            await held.clients.enter_async_context(judge.model)
        except Exception as error:
            del held.judges[judge.model_id]
            message = f'judge "{judge.model_id}" cannot be opened: {one_line(f"{type(error).__name__}: {error}")}'
            raise JudgeSetupError(message, hint="check the settings of that provider") from error

    def _build(self, model_id: str, held: _Held) -> ModelJudge:
        from proctor.judges.model_judge import ModelJudge
        from proctor.judges.models import build_model

        model = build_model(model_id, self._root, self._settings, self._provider)
        pause = held.pauses.setdefault(model_id.partition(":")[0], Pause())
        return ModelJudge(model_id, model, self._settings, pause)

    def _place(self, jurors: Sequence[str]) -> str:
        """What stands behind one model string, or those of a panel."""
        if len(jurors) == 1:
            return self._endpoint(jurors[0])
        return digest([[model_id, self._endpoint(model_id)] for model_id in jurors])

    def _endpoint(self, model_id: str) -> str:
        """What stands behind a model string here: a base URL, a rule, or code."""
        if self._is_self_test(model_id):
            return RULE_VERSION
        if self._provider is None and not model_id.startswith(PYTHON_PREFIX):
            base_url = self._settings.base_url if is_own_server(model_id, self._settings) else None
            return base_url or provider_endpoint(model_id)
        if model_id not in self._identities:
            self._identities[model_id] = self._identity(model_id) or f"unknown {secrets.token_hex(16)}"
        return self._identities[model_id]

    def _identity(self, model_id: str) -> str | None:
        if self._provider is not None:
            return code_identity(self._provider)
        from proctor.judges.models import import_object

        try:
            return code_identity(import_object(model_id, self._root))
        except JudgeSetupError:
            return None
