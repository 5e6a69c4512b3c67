"""The keys of ``.assevra.yml``, version 1. A key that is null is taken as absent, as Assevra does."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from proctor.checks.dimensions import DIMENSIONS
from proctor.formats.assevra.known_names import nearest_name
from proctor.formats.dataset_block import Money

JUDGE_OFF: Final = frozenset({"none", "off", "disabled"})
VENDORS: Final = ("anthropic", "openai", "gemini", "azure", "bedrock")
"""In the order in which ``auto`` looks for credentials."""
PROVIDERS: Final = ("auto", *VENDORS, "local", "mock", *sorted(JUDGE_OFF))


def _number(value: Any) -> Any:
    """A number may be written as a text, as Assevra allows; ``true`` is none."""
    if isinstance(value, bool) or value is None:
        raise PydanticCustomError("wrong_type", "must be a number from 0 to 1")
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        raise PydanticCustomError("wrong_type", "must be a number from 0 to 1") from None


def _dimension(name: str) -> str:
    if name not in DIMENSIONS:
        raise PydanticCustomError("unknown_dimension", "there is no such dimension; {known}", _known(name, DIMENSIONS))
    return name


def _provider(name: str) -> str:
    written = name.strip().lower() or "auto"
    if written not in PROVIDERS:
        raise PydanticCustomError("bad_choice", "there is no such provider; {known}", _known(written, PROVIDERS))
    return written


def _known(written: str, names: Any) -> dict[str, Any]:
    return {"known": nearest_name(written, names)}


def _version(value: Any) -> Any:
    if value != 1 or isinstance(value, bool):
        raise PydanticCustomError("bad_version", "this file is of another version; version 1 is read")
    return 1


DimensionName = Annotated[str, AfterValidator(_dimension)]
Threshold = Annotated[float, BeforeValidator(_number), Field(ge=0, le=1, allow_inf_nan=False)]
FilePath = Annotated[str, Field(min_length=1, pattern=r"^[^\x00]+$")]
Word = Annotated[str, Field(min_length=1)]


class Part(BaseModel):
    """A block of the file."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _leave_null_out(cls, value: Any) -> Any:
        return {key: item for key, item in value.items() if item is not None} if isinstance(value, dict) else value


class JudgePart(Part):
    """Which judge is asked."""

    provider: Annotated[str, AfterValidator(_provider)] = "auto"
    model: Word | None = None
    panel: list[Word] = []
    base_url: Word | None = None
    api_key_env: Word | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None


class GatePart(Part):
    """What has to hold."""

    enabled: bool = False
    fail_on_regression: bool = False
    purpose: Literal["release", "scan", "self_test"] = "release"
    required_dimensions: list[DimensionName] = []


class ValidatePart(Part):
    """How the data set is validated before a run."""

    strict: bool = False
    on_run: bool = True


class PricePart(Part):
    """US dollars for a million tokens. Prices under other names are taken and not used."""

    model_config = ConfigDict(extra="allow", strict=True)

    input_per_mtok: Money | None = None
    output_per_mtok: Money | None = None


class BudgetPart(Part):
    """Budgets of rows that have none of their own."""

    cost_usd: Money | None = None
    latency_ms: Money | None = None
    price: PricePart = PricePart()


class ReliabilityPart(Part):
    """Repeated trials of a case."""

    pass_k: Annotated[int, Field(ge=1, le=1000)] = 2


class HistoryPart(Part):
    """The record of former runs."""

    path: FilePath | None = None
    label: str | None = None
    baseline: str | None = None


class SigningPart(Part):
    """The key that signs the scorecard."""

    key: FilePath | None = None
    public_key: FilePath | None = None


class AttestPart(Part):
    """The agent card."""

    enabled: bool = False


class ReportsPart(Part):
    """Which reports are written."""

    formats: list[Literal["md", "markdown", "json", "html"]] = []


class CalibrationPart(Part):
    """When a judge is trusted."""

    label_field: Word = "human_label"
    kappa_bar: Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)] = 0.85


class ConfigFile(Part):
    """The whole file."""

    version: Annotated[Literal[1], BeforeValidator(_version)] = 1
    dataset: FilePath | None = None
    out_dir: FilePath | None = None
    judge: JudgePart = JudgePart()
    gate: GatePart = GatePart()
    validation: ValidatePart = Field(default=ValidatePart(), alias="validate")
    thresholds: dict[DimensionName, Threshold] = {}
    budgets: BudgetPart = BudgetPart()
    reliability: ReliabilityPart = ReliabilityPart()
    history: HistoryPart = HistoryPart()
    signing: SigningPart = SigningPart()
    attest: AttestPart = AttestPart()
    reports: ReportsPart = ReportsPart()
    calibration: CalibrationPart = CalibrationPart()
