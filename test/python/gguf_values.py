"""Writes a GGUF of random values in several types, and reports the values that `gguf` reads from it.

stdin: {"path", "seed"}. stdout: {"tensors": {NAME: {"shape", "values"}}, "fields": {NAME: VALUE}}.
"""

import json
import sys

import numpy as np
from gguf import GGMLQuantizationType, GGUFReader, GGUFWriter, dequantize, quantize

SHAPE = (6, 96)
FIELDS = {"test.text": "Prüfung", "test.number": 7, "test.flag": True, "test.list": ["a", "∀"]}

asked = json.load(sys.stdin)
random = np.random.default_rng(asked["seed"])
writer = GGUFWriter(asked["path"], "llama")
writer.add_string("test.text", FIELDS["test.text"])
writer.add_uint32("test.number", FIELDS["test.number"])
writer.add_bool("test.flag", FIELDS["test.flag"])
writer.add_array("test.list", FIELDS["test.list"])
for name in ["F32", "F16", "BF16", "Q4_0", "Q4_1", "Q8_0"]:
    kind = GGMLQuantizationType[name]
    values = (3 * random.standard_normal(SHAPE) + 0.5).astype(np.float32)
    writer.add_tensor(name, quantize(values, kind), raw_dtype=kind)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
tensors = {}
for tensor in GGUFReader(asked["path"]).tensors:
    values = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
    tensors[tensor.name] = {"shape": list(values.shape), "values": values.flatten().tolist()}
json.dump({"tensors": tensors, "fields": FIELDS}, sys.stdout)
