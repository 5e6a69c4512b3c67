"""A transcript as a recorded trial: the adapter is the agent, and the probe is the case and says what is checked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from proctor.brainbench.eras import Era
from proctor.brainbench.facts import facts_of
from proctor.brainbench.findings.evidence import evidence_findings
from proctor.brainbench.findings.finding import Finding, Level
from proctor.brainbench.findings.invariants import findings, unread_citations
from proctor.brainbench.probes import COMPLIANCE, WORKFLOWS, Companions, Probe
from proctor.brainbench.scoring.rules import Rule
from proctor.brainbench.transcript import Transcript
from proctor.brainbench_plan import BrainBenchSettings
from proctor.checks.brainbench import (
    BrainTrace,
    InvariantsCheck,
    NothingToScoreCheck,
    PlantedCheck,
    RubricCheck,
    RuleCheck,
)
from proctor.errors import Problem, Severity
from proctor.formats.base import Defaults, Loaded
from proctor.formats.brainbench.adapters import adapter_name
from proctor.formats.brainbench.claims_file import is_claims_file, load_claims
from proctor.formats.brainbench.companions.reading import companions_of
from proctor.formats.brainbench.reading import Reading, ReadTranscript, read_transcripts
from proctor.formats.brainbench.trajectories import recorded_trajectory
from proctor.formats.problem_list import ProblemList
from proctor.plan import Case, Check, Outline, Recorded, Turn
from proctor.results import TrialRef

_SHOWN: Final = (Level.ERROR, Level.WARN)
"""The findings that are told at validation; the others stand with the trial in the reports."""


def load_recorded(path: Path, data: bytes, defaults: Defaults) -> Loaded:
    """Read one file of transcripts, or of claims. A file with errors gives no case.

    Invariants that a transcript breaks are warnings.
    """
    if is_claims_file(data):
        return load_claims(path, data, defaults)
    settings = defaults.brainbench
    reading = read_transcripts(path, data, Era(settings.dialect))
    if any(problem.severity is Severity.ERROR for problem in reading.problems):
        return Loaded((), reading.problems)
    companions = companions_of(settings)
    listed = ProblemList(path)
    cases = []
    for index, read in enumerate(reading.transcripts):
        trace = trace_of(read.data, companions, settings)
        cases.append(_case(read, index, trace, defaults))
        for problem in _warnings(reading, read, trace):
            if listed.has_room(problem.severity):
                listed.add(problem)
    return Loaded(tuple(cases), (*reading.problems, *listed.all()))


def trace_of(transcript: Transcript, companions: Companions, settings: BrainBenchSettings) -> BrainTrace:
    """A transcript with everything that its checks look at."""
    era = Era(settings.rules)
    facts = facts_of(transcript, era)
    probe = companions.probes.get(transcript["probe_id"])
    found = (
        *findings(transcript, facts, companions.planted or None),
        *unread_citations(transcript, facts),
        *evidence_findings(transcript, probe, companions.planted),
    )
    return BrainTrace(
        transcript=transcript,
        facts=facts,
        probe=probe,
        companions=companions,
        era=era,
        findings=found,
        score_broken=settings.score_broken,
    )


def _case(read: ReadTranscript, index: int, trace: BrainTrace, defaults: Defaults) -> Case:
    probe_id = read.data["probe_id"]
    text = "" if trace.probe is None else trace.probe.text
    checks = tuple(_checks(trace, defaults.brainbench))
    outline = Outline(
        key=probe_id,
        id=probe_id,
        runs=1,
        threshold=defaults.threshold,
        index=index,
        line=read.line,
        tags=tuple(_tags(trace.probe)),
        judges=("",) if any(isinstance(check, RubricCheck) for check in checks) else (),
        recorded=TrialRef(adapter_name(read.data["adapter"]), probe_id, 0),
    )
    return Case(outline, (Turn(text),), checks, Recorded(recorded_trajectory(read.data, trace.facts, text), trace))


def _checks(trace: BrainTrace, settings: BrainBenchSettings) -> Iterator[Check]:
    """The checks that the probe of a transcript asks for. One that has nothing to be held against never passes."""
    yield InvariantsCheck()
    probe = trace.probe
    scoring: list[Check] = []
    if probe is not None and probe.category == COMPLIANCE and probe.tier is not None:
        scoring += [RuleCheck(rule) for rule in Rule]
    if probe is not None and (probe.rubric or probe.category == WORKFLOWS):
        scoring.append(RubricCheck())
    if not scoring and not settings.has_own_checks:
        scoring.append(NothingToScoreCheck())
    yield from scoring
    if trace.companions.planted:
        yield PlantedCheck()


def _tags(probe: Probe | None) -> Iterator[str]:
    if probe is not None and probe.category is not None:
        yield f"category {probe.category}"
    if probe is not None and probe.workflow is not None:
        yield probe.workflow


def _warnings(reading: Reading, read: ReadTranscript, trace: BrainTrace) -> Iterator[Problem]:
    for finding in trace.findings:
        if finding.level in _SHOWN:
            yield reading.problem(
                read, finding.code, finding.pointer, finding.message, _hint(finding, trace), Severity.WARNING
            )


def _hint(finding: Finding, trace: BrainTrace) -> str:
    if finding.level is not Level.ERROR:
        return ""
    if trace.score_broken:
        return "it is scored all the same, as the suite says"
    return 'it is not scored; write "invariants: score" in the brainbench block of a suite to score it all the same'
