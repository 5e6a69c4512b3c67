"""Agents that are Python objects."""

from __future__ import annotations

import asyncio
import functools
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from proctor.agents import Agent, AgentOutage, AgentReply, Message, build_agent, wrap_object
from proctor.errors import AgentRefused, AgentSetupError, AgentUnavailable, MalformedReply, TrialError
from proctor.plan import AgentSpec
from proctor.trajectory import JsonValue, ToolCall

HELLO: list[Message] = [{"role": "user", "content": "hello"}]


async def reply(agent: Agent, messages: list[Message] | None = None) -> AgentReply:
    async with agent.session() as session:
        return await session.reply(messages or HELLO)


def ask(subject: object, **options: JsonValue) -> AgentReply:
    return asyncio.run(reply(wrap_object(subject, options=options)))


class Host:
    def before_model_request(self) -> None:
        pass

    async def call(self, name: str, arguments: JsonValue, call_id: str | None = None) -> tuple[JsonValue, bool]:
        return None, False


class Counter:
    def __init__(self, start: int = 0) -> None:
        self.turns = start

    async def __call__(self, messages: list[dict[str, Any]]) -> tuple[str, list[str]]:
        self.turns += 1
        return f"{messages[-1]['content']} {self.turns}", []


async def echo(messages: list[dict[str, Any]]) -> tuple[str, list[str]]:
    return messages[-1]["content"], ["echo"]


def blocking(messages: list[dict[str, Any]]) -> tuple[str, list[str]]:
    return threading.current_thread().name, []


class TestCallables:
    def test_a_coroutine_function_is_awaited(self) -> None:
        assert ask(echo) == AgentReply("hello", (ToolCall("echo"),))

    def test_a_blocking_function_runs_in_a_thread_of_its_own(self) -> None:
        assert ask(blocking).reply == "proctor-agent"

    def test_an_object_with_async_call_is_awaited(self) -> None:
        assert ask(Counter(4)).reply == "hello 5"

    def test_a_function_that_gives_a_coroutine_is_awaited(self) -> None:
        def later(messages: list[dict[str, Any]]) -> Any:
            return echo(messages)

        assert ask(later).reply == "hello"
        assert ask(functools.partial(echo)).reply == "hello"

    def test_an_agent_that_alters_its_messages_does_not_alter_the_record(self) -> None:
        async def vandal(messages: list[dict[str, Any]]) -> tuple[str, list[str]]:
            messages[0]["content"] = "changed"
            messages.clear()
            return "ok", []

        record: list[Message] = [{"role": "user", "content": "hello"}]
        asyncio.run(reply(wrap_object(vandal), record))
        assert record == HELLO

    def test_a_wrong_answer_is_malformed(self) -> None:
        async def wrong(messages: object) -> str:
            return "ok"

        with pytest.raises(MalformedReply, match='the answer is the text "ok"'):
            ask(wrong)


class TestFactories:
    def test_each_trial_gets_a_fresh_object_of_a_class_and_keeps_it_between_turns(self) -> None:
        async def two_trials() -> list[str | None]:
            agent = wrap_object(Counter)
            replies = []
            for _ in range(2):
                async with agent.session() as session:
                    replies += [(await session.reply(HELLO)).reply for _ in range(2)]
            return replies

        assert asyncio.run(two_trials()) == ["hello 1", "hello 2", "hello 1", "hello 2"]

    def test_options_are_the_keyword_arguments_of_the_factory(self) -> None:
        assert ask(Counter, start=7).reply == "hello 8"

    def test_a_function_without_required_parameters_is_a_factory_also_an_async_one(self) -> None:
        async def make(start: int = 1) -> Counter:
            return Counter(start)

        assert ask(make).reply == "hello 2"

    def test_a_blocking_class_is_built_in_the_thread_in_which_it_is_called(self) -> None:
        class Bound:
            def __init__(self) -> None:
                self.thread = threading.get_ident()

            def __call__(self, messages: object) -> tuple[str, list[str]]:
                return str(self.thread == threading.get_ident()), []

        assert ask(Bound).reply == "True"

    @pytest.mark.parametrize(
        ("subject", "options", "sentence"),
        [
            (3, {}, "the agent int is of type int, not callable"),
            (lambda one, two: None, {}, "cannot be called with one argument, the messages"),
            (
                Counter,
                {"stop": 3},
                "the factory Counter(start: 'int' = 0) -> 'None' cannot be called with the options s",
            ),
            (echo, {"model": "x"}, "cannot be called with the options model"),
        ],
    )
    def test_what_cannot_be_an_agent_is_refused_before_anything_runs(
        self, subject: object, options: dict[str, JsonValue], sentence: str
    ) -> None:
        with pytest.raises(AgentSetupError) as caught:
            wrap_object(subject, options=options)
        assert sentence in caught.value.message
        assert caught.value.hint

    def test_a_class_that_needs_arguments_says_which(self) -> None:
        class Needy:
            def __init__(self, url: str) -> None: ...

        with pytest.raises(AgentSetupError, match=r"Needy\(url: 'str'\).* cannot be called with no arguments"):
            wrap_object(Needy)

    def test_a_factory_that_gives_no_agent_is_a_setup_error(self) -> None:
        def agent(messages: object = None) -> tuple[str, list[str]]:
            return "ok", []

        with pytest.raises(AgentSetupError) as caught:
            ask(agent)
        assert "gave an object of type tuple, not an agent" in caught.value.message
        assert "a parameter for the messages must have no default" in str(caught.value)

    def test_a_callable_cannot_be_replayed(self) -> None:
        async def open_it() -> None:
            async with wrap_object(echo).session(Host()):
                raise AssertionError("opened")

        with pytest.raises(AgentSetupError, match="runs its tools itself, so it cannot be replayed"):
            asyncio.run(open_it())


class TestExceptions:
    @pytest.mark.parametrize("is_async", [True, False])
    def test_an_exception_of_the_agent_passes_as_it_is(self, is_async: bool) -> None:
        def fail(messages: object) -> Any:
            raise KeyError("seat")

        async def fail_async(messages: object) -> Any:
            raise KeyError("seat")

        with pytest.raises(KeyError, match="seat"):
            ask(fail_async if is_async else fail)

    @pytest.mark.parametrize("error", [ConnectionRefusedError("port 1"), TimeoutError()])
    def test_a_lost_connection_and_a_time_out_of_the_agents_own_are_outages(self, error: Exception) -> None:
        async def fail(messages: object) -> Any:
            raise error

        with pytest.raises(AgentOutage, match=f"ran into {type(error).__name__}") as caught:
            ask(fail)
        assert isinstance(caught.value, AgentUnavailable)
        assert caught.value.is_transient

    @pytest.mark.parametrize("error", [SystemExit(2), asyncio.CancelledError()])
    @pytest.mark.parametrize("is_async", [True, False])
    def test_an_agent_that_exits_or_cancels_itself_ends_its_trial_only(
        self, error: BaseException, is_async: bool
    ) -> None:
        def fail(messages: object) -> Any:
            raise error

        async def fail_async(messages: object) -> Any:
            raise error

        with pytest.raises(TrialError, match=f"ended with {type(error).__name__}"):
            ask(fail_async if is_async else fail)

    def test_an_agent_may_say_itself_that_it_was_refused(self) -> None:
        async def refused(messages: object) -> Any:
            raise AgentRefused("filtered")

        with pytest.raises(AgentRefused):
            ask(refused)

    def test_a_stop_iteration_in_a_thread_is_an_error_not_a_hang(self) -> None:
        def fail(messages: object) -> Any:
            return next(iter(()))

        with pytest.raises(RuntimeError, match="StopIteration"):
            ask(fail)

    def test_a_blocking_agent_that_hangs_is_left_behind_and_the_next_turn_gets_a_new_thread(self) -> None:
        release = threading.Event()
        calls: list[int] = []

        def hang_once(messages: object) -> tuple[str, list[str]]:
            calls.append(threading.get_ident())
            if len(calls) == 1:
                release.wait(20)
            return "ok", []

        async def twice() -> str | None:
            async with wrap_object(hang_once).session() as session:
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.05):
                        await session.reply(HELLO)
                return (await session.reply(HELLO)).reply

        started = time.perf_counter()
        assert asyncio.run(twice()) == "ok"
        assert time.perf_counter() - started < 5
        assert calls[0] != calls[1]
        release.set()

    def test_a_blocking_agent_that_hangs_does_not_keep_the_process_alive(self) -> None:
        code = """
            import asyncio, threading
            from proctor.agents import wrap_object

            async def run():
                async with wrap_object(lambda messages: threading.Event().wait(60)).session() as session:
                    async with asyncio.timeout(0.05):
                        await session.reply([{"role": "user", "content": "hello"}])

            try:
                asyncio.run(run())
            except TimeoutError:
                print("done")
        """
        command = [sys.executable, "-c", textwrap.dedent(code)]
        assert subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout == "done\n"

    def test_a_cancelled_turn_stays_cancelled(self) -> None:
        async def slow(messages: object) -> Any:
            await asyncio.sleep(20)

        async def cancelled() -> None:
            async with asyncio.timeout(0.02):
                await reply(wrap_object(slow))

        with pytest.raises(TimeoutError):
            asyncio.run(cancelled())


class TestImports:
    @pytest.fixture(autouse=True)
    def _restored(self) -> Iterator[None]:
        path, modules = list(sys.path), set(sys.modules)
        yield
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            del sys.modules[name]

    def build(self, root: Path, target: str) -> Agent:
        return build_agent(AgentSpec("a", "python", target), root)

    def test_a_target_is_imported_from_the_project_root_with_dotted_attributes(self, tmp_path: Path) -> None:
        (tmp_path / "shop").mkdir()
        (tmp_path / "shop" / "bot.py").write_text("class Bots:\n  def answer(messages):\n    return 'hi', []\n")
        agent = self.build(tmp_path, "shop.bot:Bots.answer")
        assert asyncio.run(reply(agent)).reply == "hi"
        self.build(tmp_path, "shop.bot:Bots.answer")
        assert sys.path[0] == str(tmp_path.resolve())
        assert sys.path.count(str(tmp_path.resolve())) == 1

    @pytest.mark.parametrize("target", ["shop", "shop:", ":x", "a b:c", "shop.bot:x()", "./bot.py:x"])
    def test_a_target_of_another_form_is_refused(self, tmp_path: Path, target: str) -> None:
        with pytest.raises(AgentSetupError, match=r"is not of the form pkg\.module:object"):
            self.build(tmp_path, target)

    def test_a_missing_module_names_where_it_was_looked_for(self, tmp_path: Path) -> None:
        with pytest.raises(AgentSetupError) as caught:
            self.build(tmp_path, "nowhere_bot.x:y")
        assert caught.value.message == "there is no module nowhere_bot"
        assert str(tmp_path) in str(caught.value)

    def test_a_misspelt_name_gets_the_nearest_ones(self, tmp_path: Path) -> None:
        (tmp_path / "misspelt_bot.py").write_text("def answer(messages): ...\n")
        with pytest.raises(
            AgentSetupError, match=r"there is no 'anwser' in module misspelt_bot\n  hint: did you mean answer\?"
        ):
            self.build(tmp_path, "misspelt_bot:anwser")

    @pytest.mark.parametrize(
        ("code", "sentence"),
        [
            ("import json\nimport nowhere_lib\n", "failed with ModuleNotFoundError: No module named 'nowhere_lib'"),
            ("def f(:\n", "failed with SyntaxError"),
            ("raise SystemExit(3)\n", "failed with SystemExit: 3"),
        ],
    )
    def test_a_module_that_fails_says_how(self, tmp_path: Path, code: str, sentence: str) -> None:
        (tmp_path / "failing_bot.py").write_text(code)
        with pytest.raises(AgentSetupError) as caught:
            self.build(tmp_path, "failing_bot:agent")
        assert sentence in caught.value.message
        assert "python -c 'import failing_bot'" in str(caught.value)

    def test_the_failing_line_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "line_bot.py").write_text("x = 1\ny = x / 0\n")
        with pytest.raises(AgentSetupError, match=r"line_bot\.py:2"):
            self.build(tmp_path, "line_bot:agent")

    def test_a_module_of_another_project_is_never_taken_for_this_ones(self, tmp_path: Path) -> None:
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "twin_bot.py").write_text(f"def answer(messages):\n  return {name!r}, []\n")
        self.build(tmp_path / "one", "twin_bot:answer")
        with pytest.raises(AgentSetupError, match="but this project has its own"):
            self.build(tmp_path / "two", "twin_bot:answer")

    def test_an_unknown_kind_lists_the_kinds(self, tmp_path: Path) -> None:
        with pytest.raises(AgentSetupError, match="unknown kind 'soap'\n  hint: the kinds are python, http, command"):
            build_agent(AgentSpec("a", "soap", "x"), tmp_path)
