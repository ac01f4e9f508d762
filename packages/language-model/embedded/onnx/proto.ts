/** Encodes ONNX messages. This file knows the format; `operations/` defines the operators. */
import protobuf from 'protobufjs';
import type { Shape } from './shape.ts';

/** IR version of opset 18. */
const IR_VERSION = 8;
export const OPSET_VERSION = 18;
/** ONNX Runtime's contributed operators (FusedMatMul, QuickGelu, RotaryEmbedding…). */
export const MICROSOFT_DOMAIN = 'com.microsoft';

/** TensorProto.DataType numbers. */
export const ELEMENT_TYPE_NUMBERS = { float32: 1, int32: 6, int64: 7, bool: 9 } as const;
export type ElementType = keyof typeof ELEMENT_TYPE_NUMBERS;

export type AttributeValue = { float: number } | { int: number } | { string: string } | { ints: readonly number[] };

export interface TensorData {
  readonly name: string;
  readonly type: ElementType;
  /** All dimensions fixed. */
  readonly shape: Shape;
  readonly data: Float32Array | BigInt64Array | Int32Array | Uint8Array;
}

export interface ValueInfo {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: Shape;
}

export interface NodeMessage {
  readonly operator: string;
  /** Empty for the standard operators. */
  readonly domain: string;
  /** An empty name leaves an optional input out. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** The `body` attribute of a Loop. */
  readonly body?: GraphMessage;
}

export interface GraphMessage {
  readonly name: string;
  readonly nodes: readonly NodeMessage[];
  readonly initializers: readonly TensorData[];
  readonly inputs: readonly ValueInfo[];
  readonly outputs: readonly ValueInfo[];
}

/** The parts of `onnx.proto` (IR version 8) that are used here. */
const { root } = protobuf.parse(
  `
  syntax = "proto2";
  message Model { optional int64 ir_version = 1; optional string producer_name = 2; optional Graph graph = 7; repeated Opset opset_import = 8; }
  message Opset { optional string domain = 1; optional int64 version = 2; }
  message Graph {
    repeated Node node = 1; optional string name = 2; repeated Tensor initializer = 5;
    repeated ValueInfo input = 11; repeated ValueInfo output = 12;
  }
  message Node {
    repeated string input = 1; repeated string output = 2; optional string op_type = 4;
    repeated Attribute attribute = 5; optional string domain = 7;
  }
  message Attribute {
    optional string name = 1; optional float f = 2; optional int64 i = 3; optional string s = 4; optional Graph g = 6;
    repeated int64 ints = 8; optional int32 type = 20;
  }
  message Tensor { repeated int64 dims = 1; optional int32 data_type = 2; optional string name = 8; optional bytes raw_data = 9; }
  message ValueInfo { optional string name = 1; optional Type type = 2; }
  message Type { optional TensorType tensor_type = 1; }
  message TensorType { optional int32 elem_type = 1; optional Dimensions shape = 2; }
  message Dimensions { repeated Dimension dim = 1; }
  message Dimension { optional int64 dim_value = 1; optional string dim_param = 2; }
`,
  { keepCase: true },
);
const modelType = root.lookupType('Model');

/** Encodes a ModelProto that ONNX Runtime opens from memory. */
export function encodeModel(model: GraphMessage): Uint8Array {
  return modelType
    .encode({
      ir_version: IR_VERSION,
      producer_name: 'stp-selfplay',
      graph: graphOf(model),
      opset_import: [
        { domain: '', version: OPSET_VERSION },
        { domain: MICROSOFT_DOMAIN, version: 1 },
      ],
    })
    .finish();
}

const graphOf = ({ nodes, name, initializers, inputs, outputs }: GraphMessage): object => ({
  node: nodes.map(nodeOf),
  name,
  initializer: initializers.map(tensorOf),
  input: inputs.map(valueMessage),
  output: outputs.map(valueMessage),
});

function nodeOf({ inputs, outputs, operator, attributes, body, domain }: NodeMessage): object {
  const attribute: object[] = Object.entries(attributes).map(([name, value]) => ({ name, ...attributeOf(value) }));
  if (body !== undefined) attribute.push({ name: 'body', g: graphOf(body), type: 5 });
  return { input: inputs, output: outputs, op_type: operator, attribute, domain };
}

/** Encodes an attribute; types are AttributeProto.AttributeType numbers. */
function attributeOf(value: AttributeValue): object {
  if ('float' in value) return { f: value.float, type: 1 };
  if ('int' in value) return { i: value.int, type: 2 };
  if ('string' in value) return { s: value.string, type: 3 };
  return { ints: value.ints, type: 7 };
}

const tensorOf = ({ name, type, shape, data }: TensorData): object => ({
  dims: shape,
  data_type: ELEMENT_TYPE_NUMBERS[type],
  name,
  raw_data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
});

function valueMessage({ name, type, shape }: ValueInfo): object {
  const dim = shape.map((size) => (typeof size === 'number' ? { dim_value: size } : { dim_param: size }));
  return { name, type: { tensor_type: { elem_type: ELEMENT_TYPE_NUMBERS[type], shape: { dim } } } };
}
