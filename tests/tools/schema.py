"""The JSON Schemas of saved results, made from the types of their fields; `make export` writes them to nbs/schemas/.

`record-v1.json` describes the record, which is the predicate of an in-toto Statement, and `result-v1.json` a JSON file.
"""
import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from irmetrics_nb import Comparison, Gate, Measure, Report, Scores
from irmetrics_nb.data.fingerprints import RECORDED
from irmetrics_nb.results.records import PREDICATE_TYPE

FOLDER = Path(__file__).parents[2] / "nbs/schemas"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
TEXT, TRUTH, WHOLE = {"type": "string"}, {"type": "boolean"}, {"type": "integer"}
NUMBER = {"anyOf": [{"type": ["number", "null"]}, {"enum": ["inf", "-inf"]}]}  # null is NaN
SHA256 = {"type": ["string", "null"], "pattern": "^[0-9a-f]{64}$"}
SIMPLE = {
    str: TEXT, bool: TRUTH, int: WHOLE, float: NUMBER, type(None): {"type": "null"}, np.ndarray: {"type": "array"},
    Measure: {"$ref": "#/$defs/measure"}}
INPUT = {"anyOf": [{"$ref": "#/$defs/input"}, {"type": "null"}]}
GROUP = {"anyOf": [TEXT, {"type": "array", "items": TEXT}]}  # the names of several dimensions
GROUPS = {"anyOf": [
    {"type": "object", "additionalProperties": GROUP}, {"type": "array", "items": GROUP}, {"type": "null"}]}
BY_NAME = {"judgments": INPUT, "source": INPUT, "inputs": {"type": "array", "items": INPUT}}  # references, of type Any
KINDS = Scores, Comparison, Gate, Report


def closed(properties, required=None):
    "The schema of an object with these properties, and no others."
    return {"type": "object", "properties": properties, "required": [*(properties if required is None else required)],
            "additionalProperties": False}


FUNCTION = closed({"function": TEXT})


def schema_of(hint, defs):
    "The schema of a type; schemas of dataclasses go into `defs`."
    kind, args = get_origin(hint) or hint, get_args(hint)
    if hint in SIMPLE:
        return SIMPLE[hint]
    if kind in (Union, UnionType):
        return {"anyOf": [schema_of(arg, defs) for arg in args]}
    if kind is Literal:
        return {"enum": [*args]}
    if kind is Callable:
        return FUNCTION
    if is_dataclass(kind):
        name = kind.__name__
        if name not in defs:
            defs[name] = {}
            hints = get_type_hints(kind)
            saved = [field.name for field in fields(kind) if field.metadata.get("saved", True)]
            references = {x for x in BY_NAME if hints.get(x) in (Any, tuple[Any, ...])}
            special = {x: BY_NAME[x] for x in references} | {"groups": GROUPS}
            defs[name] = closed({x: special[x] if x in special else schema_of(hints[x], defs) for x in saved})
        return {"$ref": f"#/$defs/{name}"}
    if kind is Mapping:
        return {"type": "object", "additionalProperties": schema_of(args[1], defs)}
    if kind is frozenset or args[1:] == (...,):
        return {"type": "array", "items": schema_of(args[0], defs)}
    if isinstance(kind, type) and issubclass(kind, tuple):
        return {"type": "array", **({"prefixItems": [schema_of(arg, defs) for arg in args]} if args else {})}
    return {}


def or_null(kind, **more):
    return {"type": [kind, "null"], **more}


def record_schema():
    measure = closed({
        "name": TEXT, "params": {"type": "object"}, "at": or_null("number"), "given": {"type": "array", "items": TEXT},
        "label": TEXT})
    reference = closed(dict.fromkeys(RECORDED, {}) | {
        "role": {"enum": ["qrels", "run"]}, "name": or_null("string", pattern="^[^/]*$"),
        "form": or_null("string"), "reason": or_null("string"), "ranks": or_null("boolean"),
        **dict.fromkeys(("bytes", "rows", "queries"), or_null("integer", minimum=0)),
        **dict.fromkeys(("sha256", "content", "in_order"), SHA256)})
    defs = {"measure": measure, "input": reference}
    kinds = [{"properties": {"kind": {"const": kind.__name__}, "data": schema_of(kind, defs)}} for kind in KINDS]
    created = {"type": "string", "format": "date-time", "pattern": r"\+00:00$"}
    head = {
        "package": {"const": "irmetrics_nb"}, "version": TEXT, "commit": or_null("string"), "python": TEXT,
        "numpy": TEXT, "created": created, "kind": {}, "data": {"type": "object"},
        "sha256": {**SHA256, "type": "string"}}
    return {"$schema": DRAFT, "$id": PREDICATE_TYPE, "title": "Record of a result of irmetrics_nb", **closed(head),
            "oneOf": kinds, "$defs": defs}


def result_schema():
    shown = {"Scores": ["runs"], "Comparison": ["pairs"], "Gate": ["ok", "verdicts", "could", "judging"],
             "Report": ["title", "scores", "comparison", "checkup"]}
    kinds = [{"properties": {"record": {"properties": {"kind": {"const": kind}}}}, "required": names}
             for kind, names in shown.items()]
    lists = {name: {"type": "array"} for name in ("runs", "pairs", "verdicts", "could", "judging", "scores")}
    properties = {**lists, "ok": TRUTH, "title": TEXT, "record": {"$ref": "record-v1.json"}}
    address = PREDICATE_TYPE.replace("record-v1", "result-v1")
    return {"$schema": DRAFT, "$id": address, "title": "Saved result of irmetrics_nb", "type": "object",
            "properties": properties, "required": ["record"], "oneOf": kinds}


def texts():
    "The content of both files, by name."
    schemas = {"record-v1.json": record_schema(), "result-v1.json": result_schema()}
    return {name: json.dumps(schema, indent=1, ensure_ascii=False) + "\n" for name, schema in schemas.items()}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
