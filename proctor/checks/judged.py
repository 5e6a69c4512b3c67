"""The check that asks a judge about a reply."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.plan import CheckContext, Evidence, JudgeRequest


@dataclass(frozen=True, slots=True)
class ReplyJudged:
    """Ask a judge whether the reply satisfies a rubric.

    The judge sees the conversation up to the user's message, that message, and the reply; not the tool calls
    (pytest-agent-eval 0.3.0). A missing reply is shown as such.
    """

    rubric: str
    model: str | None = None

    @property
    def name(self) -> str:
        """The key in the transcript."""
        return "judge"

    def evaluate(self, context: CheckContext) -> JudgeRequest:
        """Put the question."""
        history = "\n".join(f"{role.upper()}: {text or ''}" for role, text in context.history)
        reply = "(the agent gave no reply)" if context.reply is None else context.reply
        evidence = (
            Evidence("Conversation", history),
            Evidence("User message", context.user),
            Evidence("Reply", reply),
        )
        return JudgeRequest("reply", self.rubric, evidence, self.model or None)
