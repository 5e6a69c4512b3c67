"""JSON Schema of the files that users write, from the models that read them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, BeforeValidator
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import DictSchema, NullableSchema, WithDefaultSchema

from proctor.config import refuse_null

Absent = BeforeValidator(refuse_null)
"""Marks ``X | None`` as a key that may be absent, but not null."""


class PlainSchema(GenerateJsonSchema):
    """Leaves out generated titles, and null: in the files that users write, a key may be absent but not null.

    Where keys have a pattern, other keys are refused, as the models do.
    """

    def default_schema(self, schema: WithDefaultSchema) -> JsonSchemaValue:
        """The schema of a value with a default, without a default that says nothing."""
        found = super().default_schema(schema)
        if found.get("default", "") in (None, []):
            del found["default"]
        return found

    def nullable_schema(self, schema: NullableSchema) -> JsonSchemaValue:
        """The schema of the value; null stands for an absent key in the models only."""
        return self.generate_inner(schema["schema"])

    def dict_schema(self, schema: DictSchema) -> JsonSchemaValue:
        """The schema of a mapping whose keys are free but for their pattern."""
        found = super().dict_schema(schema)
        return {**found, "additionalProperties": False} if "patternProperties" in found else found

    def field_title_should_be_set(self, _schema: Any) -> bool:
        """No: the key says it."""
        return False


def published_schema(model: type[BaseModel], title: str, identifier: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of ``model`` as it is published."""
    schema = model.model_json_schema(schema_generator=PlainSchema, by_alias=True)
    for definition in schema.get("$defs", {}).values():
        definition.pop("title", None)
    schema.pop("title", None)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": identifier, "title": title, **schema}
