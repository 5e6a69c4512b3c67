"""Agents that are commands: small programs, written here and run for real."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from proctor.agents import Agent, AgentReply, Message, Session, build_agent
from proctor.errors import AgentRefused, AgentSetupError, AgentUnavailable, MalformedReply, TrialError
from proctor.plan import AgentSpec
from proctor.trajectory import JsonValue, ToolCall

HELLO: list[Message] = [{"role": "user", "content": "hello"}]
LOOP = "import json, os, sys, time\nfor line in sys.stdin:\n    request = json.loads(line)\n    "


def build(root: Path, body: str, *args: str, before: str = "") -> Agent:
    (root / "bot.py").write_text(before + LOOP + body.replace("\n", "\n    ") + "\n")
    command = f"{shlex.quote(sys.executable)} -u bot.py"
    return build_agent(AgentSpec("bot", "command", command, options={"args": list(args)}), root)


def say(answer: str) -> str:
    return f"print(json.dumps({answer}))"


def ask(agent: Agent) -> AgentReply:
    async def run() -> AgentReply:
        async with agent.session() as session:
            return await session.reply(HELLO)

    return asyncio.run(run())


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def gone(pid: int) -> bool:
    deadline = time.monotonic() + 5
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_alive(pid)


class TestTurns:
    def test_one_process_serves_one_trial_in_the_project_root_with_its_args(self, tmp_path: Path) -> None:
        agent = build(
            tmp_path,
            "n += 1\n" + say('{"reply": f"{n} {os.getcwd()} {sys.argv[1]} " + request["messages"][-1]["content"]}'),
            "a b",
            before="n = 0\n",
        )

        async def trials() -> list[str | None]:
            replies = []
            for _ in range(2):
                async with agent.session() as session:
                    replies += [(await session.reply(HELLO)).reply for _ in range(2)]
            return replies

        root = tmp_path.resolve()
        assert asyncio.run(trials()) == [f"{n} {root} a b hello" for n in (1, 2, 1, 2)]

    def test_messages_arrive_byte_for_byte(self, tmp_path: Path) -> None:
        text = 'a\nb "c" {{7*7}} ${HOME} 東京 \u2028'
        agent = build(tmp_path, say('{"reply": request["messages"][0]["content"]}'))

        async def run() -> str | None:
            async with agent.session() as session:
                return (await session.reply([{"role": "user", "content": text}])).reply

        assert asyncio.run(run()) == text

    def test_tools_on_a_host_are_answered(self, tmp_path: Path) -> None:
        class Host:
            def before_model_request(self) -> None:
                pass

            async def call(self, name: str, arguments: JsonValue, call_id: str | None = None) -> tuple[JsonValue, bool]:
                return [name, arguments], False

        body = (
            'if request["type"] == "turn":\n    '
            + say('{"type": "tool_calls", "tool_calls": [{"id": "1", "name": "find", "arguments": {"q": 1}}]}')
            + "\nelse:\n    "
            + say('{"reply": json.dumps(request["tool_results"][0]["result"])}')
        )

        async def run() -> AgentReply:
            async with build(tmp_path, body).session(Host()) as session:
                return await session.reply(HELLO)

        answer = asyncio.run(run())
        assert answer.reply == json.dumps(["find", {"q": 1}])
        assert answer.tool_calls == (ToolCall("find", {"q": 1}, "1", ["find", {"q": 1}]),)

    def test_a_refusal_leaves_the_process_usable(self, tmp_path: Path) -> None:
        agent = build(tmp_path, say('{"refused": "no"} if n else {"reply": "yes"}') + "\nn = 0", before="n = 1\n")

        async def run() -> str | None:
            async with agent.session() as session:
                with pytest.raises(AgentRefused):
                    await session.reply(HELLO)
                return (await session.reply(HELLO)).reply

        assert asyncio.run(run()) == "yes"


class TestFaults:
    def test_a_process_that_ends_shows_exit_code_and_the_end_of_its_stderr(self, tmp_path: Path) -> None:
        agent = build(tmp_path, 'sys.exit("no\\x1b model\\nkey missing")')
        with pytest.raises(TrialError) as caught:
            ask(agent)
        assert caught.value.message == (
            "the agent's process ended with exit code 1 before it answered; "
            "the end of its stderr: no<1B> model | key missing"
        )
        assert "run the command by hand" in str(caught.value)

    def test_the_end_of_stderr_is_shown_when_it_arrives_after_the_end_of_the_process(self, tmp_path: Path) -> None:
        late = "if os.fork():\n    os._exit(3)\nos.close(1)\ntime.sleep(0.2)\nsys.exit('key missing')"
        with pytest.raises(TrialError, match="exit code 3 before it answered; the end of its stderr: key missing"):
            ask(build(tmp_path, late))

    def test_a_process_that_is_killed_names_the_signal(self, tmp_path: Path) -> None:
        with pytest.raises(TrialError, match="ended with signal SIGKILL before it answered"):
            ask(build(tmp_path, "os.kill(os.getpid(), 9)"))

    def test_half_a_line_is_shown(self, tmp_path: Path) -> None:
        with pytest.raises(TrialError, match='before it answered, after "half"'):
            ask(build(tmp_path, 'sys.stdout.write("half")\nsys.exit(0)'))

    def test_a_child_that_keeps_stdout_open_does_not_hide_the_end(self, tmp_path: Path) -> None:
        agent = build(tmp_path, "import subprocess\nsubprocess.Popen(['sleep', '30'])\nsys.exit(4)")
        started = time.monotonic()
        with pytest.raises(TrialError, match="exit code 4"):
            ask(agent)
        assert time.monotonic() - started < 10

    def test_a_line_that_is_no_json_is_malformed(self, tmp_path: Path) -> None:
        with pytest.raises(MalformedReply, match=r'the answer is no JSON .*: "Thinking'):
            ask(build(tmp_path, 'print("Thinking...")'))

    def test_two_lines_for_one_request_are_malformed(self, tmp_path: Path) -> None:
        with pytest.raises(MalformedReply, match="wrote more than its answer to stdout") as caught:
            ask(build(tmp_path, 'print(\'{"reply": "a"}\\n{"reply": "b"}\')'))
        assert "write logs to stderr" in str(caught.value)

    def test_a_late_second_answer_is_never_taken_for_the_next_one(self, tmp_path: Path) -> None:
        agent = build(tmp_path, 'print(\'{"reply": "a"}\')\ntime.sleep(0.05)\nprint(\'{"reply": "late"}\')')

        async def run() -> None:
            async with agent.session() as session:
                await session.reply(HELLO)
                await asyncio.sleep(0.3)
                await session.reply(HELLO)

        with pytest.raises(MalformedReply, match="late"):
            asyncio.run(run())

    def test_a_line_without_end_is_read_up_to_the_limit_only(self, tmp_path: Path) -> None:
        agent = build(tmp_path, "while True:\n    sys.stdout.write('x' * 2**20)")
        with pytest.raises(MalformedReply, match="longer than 16 MiB"):
            ask(agent)

    def test_after_a_fault_the_process_is_given_up(self, tmp_path: Path) -> None:
        async def run() -> None:
            async with build(tmp_path, 'print("x")').session() as session:
                with pytest.raises(MalformedReply):
                    await session.reply(HELLO)
                await session.reply(HELLO)

        with pytest.raises(TrialError, match="given up after an earlier request"):
            asyncio.run(run())

    def test_a_program_that_cannot_be_started_is_unavailable(self, tmp_path: Path) -> None:
        (tmp_path / "bot").write_text("#!/nowhere/interpreter\n")
        (tmp_path / "bot").chmod(0o755)
        with pytest.raises(AgentUnavailable, match=r'the command "\./bot" cannot be started'):
            ask(build_agent(AgentSpec("bot", "command", "./bot"), tmp_path))


class TestEnd:
    @asynccontextmanager
    async def family(self, root: Path) -> AsyncIterator[tuple[Session, list[int]]]:
        """A session whose process has a child of its own, and the ids of both."""
        body = say('{"reply": f"{os.getpid()} {child.pid}"}') + "\ntime.sleep(0)"
        agent = build(root, body, before="import subprocess\nchild = subprocess.Popen(['sleep', '60'])\n")
        async with agent.session() as session:
            yield session, [int(pid) for pid in str((await session.reply(HELLO)).reply).split()]

    def test_the_whole_process_group_is_gone_after_the_session(self, tmp_path: Path) -> None:
        async def run() -> list[int]:
            async with self.family(tmp_path) as (_, pids):
                assert all(map(is_alive, pids))
            return pids

        started = time.monotonic()
        assert all(map(gone, asyncio.run(run())))
        assert time.monotonic() - started < 5

    def test_a_process_that_ignores_everything_is_killed(self, tmp_path: Path) -> None:
        stubborn = "import signal, threading\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        agent = build(tmp_path, say('{"reply": str(os.getpid())}') + "\ntime.sleep(60)", before=stubborn)
        pid = int(str(ask(agent).reply))
        assert gone(pid)

    def test_a_turn_that_takes_too_long_leaves_nothing_behind(self, tmp_path: Path) -> None:
        pid_file = tmp_path / "pid"
        agent = build(tmp_path, f"open({str(pid_file)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)")

        async def run() -> None:
            async with agent.session() as session, asyncio.timeout(1):
                await session.reply(HELLO)

        with pytest.raises(TimeoutError):
            asyncio.run(run())
        assert gone(int(pid_file.read_text()))

    def open_files(self) -> int:
        return sum(1 for _ in Path("/proc/self/fd").iterdir())

    def test_many_trials_leave_no_open_files(self, tmp_path: Path) -> None:
        agent = build(tmp_path, say('{"reply": "x"}'))
        before = self.open_files()

        async def run() -> None:
            async def one() -> None:
                async with agent.session() as session:
                    await session.reply(HELLO)

            await asyncio.gather(*(one() for _ in range(4)))

        asyncio.run(run())
        assert self.open_files() <= before


class TestSetup:
    @pytest.mark.parametrize(
        ("target", "options", "sentence"),
        [
            ("", {}, 'the agent bot has no program to run: ""'),
            ("'open", {}, "cannot be split into words"),
            ("no-such-program-anywhere x", {}, "has no program to run"),
            ("./missing", {}, "has no program to run"),
            ("sh", {"args": "x"}, "the args of the agent bot are no list of texts"),
            ("sh", {"args": [3]}, "the args of the agent bot are no list of texts"),
            ("sh", {"env": {}}, "has an unknown option 'env'"),
        ],
    )
    def test_a_command_that_cannot_work_is_refused_before_the_run(
        self, tmp_path: Path, target: str, options: dict[str, JsonValue], sentence: str
    ) -> None:
        with pytest.raises(AgentSetupError) as caught:
            build_agent(AgentSpec("bot", "command", target, options=options), tmp_path)
        assert sentence in caught.value.message
        assert caught.value.hint
