"""Problems of Kubernetes objects by their published schemas, unknown fields among them; and of any document by a JSON schema."""

import json
import sys

import jsonschema
import kubernetes_validate


def problems_of_objects(objects: list, version: str) -> list:
    problems = []
    for found in objects:
        try:
            kubernetes_validate.validate(found, version, strict=True)
        except Exception as error:
            problems.append(f"{found['kind']} {found['metadata']['name']}: {error}")
    return problems


def problems_of_document(document: dict, schema: dict) -> list:
    validator = jsonschema.validators.validator_for(schema)(schema)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


asked = json.load(sys.stdin)
if "objects" in asked:
    found = {version: problems_of_objects(asked["objects"], version) for version in asked["versions"]}
else:
    found = problems_of_document(asked["document"], asked["schema"])
print(json.dumps(found))
