/**
 * ONNX messages as bytes (field numbers of onnx.proto, IR version 8): model, graph, node, attribute, tensor, value info.
 * Knows the file format; what operators mean is in `operations/`.
 */
import type { Shape } from './shape.ts';
import { WireWriter } from './wire.ts';

/** IR version that came with opset 18. */
const IR_VERSION = 8;
export const OPSET_VERSION = 18;
/** ONNX Runtime's contributed operators (FusedMatMul, QuickGelu, RotaryEmbedding…). */
export const MICROSOFT_DOMAIN = 'com.microsoft';

/** TensorProto.DataType numbers. */
export const ELEMENT_TYPE_NUMBERS = { float32: 1, int32: 6, int64: 7, bool: 9 } as const;
export type ElementType = keyof typeof ELEMENT_TYPE_NUMBERS;

/** AttributeProto.AttributeType numbers. */
const ATTRIBUTE_FLOAT = 1;
const ATTRIBUTE_INT = 2;
const ATTRIBUTE_STRING = 3;
const ATTRIBUTE_GRAPH = 5;
const ATTRIBUTE_INTS = 7;

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
  /** The attribute `body` of a Loop. */
  readonly body?: GraphMessage;
}

export interface GraphMessage {
  readonly name: string;
  readonly nodes: readonly NodeMessage[];
  readonly initializers: readonly TensorData[];
  readonly inputs: readonly ValueInfo[];
  readonly outputs: readonly ValueInfo[];
}

/** A ModelProto that ONNX Runtime opens from memory. */
export function encodeModel(model: GraphMessage): Uint8Array {
  const writer = new WireWriter();
  writer.varint(1, IR_VERSION);
  writer.string(2, 'stp-selfplay');
  writer.message(7, (inner) => writeGraph(inner, model));
  writer.message(8, (opset) => writeOpset(opset, '', OPSET_VERSION));
  writer.message(8, (opset) => writeOpset(opset, MICROSOFT_DOMAIN, 1));
  return writer.finish();
}

function writeGraph(writer: WireWriter, graph: GraphMessage): void {
  for (const node of graph.nodes) writer.message(1, (inner) => writeNode(inner, node));
  writer.string(2, graph.name);
  for (const tensor of graph.initializers) writer.message(5, (inner) => writeTensor(inner, tensor));
  for (const value of graph.inputs) writer.message(11, (inner) => writeValueInfo(inner, value));
  for (const value of graph.outputs) writer.message(12, (inner) => writeValueInfo(inner, value));
}

function writeOpset(writer: WireWriter, domain: string, version: number): void {
  writer.string(1, domain);
  writer.varint(2, version);
}

function writeNode(writer: WireWriter, node: NodeMessage): void {
  for (const name of node.inputs) writer.string(1, name);
  for (const name of node.outputs) writer.string(2, name);
  writer.string(4, node.operator);
  for (const [name, value] of Object.entries(node.attributes))
    writer.message(5, (inner) => writeAttribute(inner, name, value));
  const { body } = node;
  if (body !== undefined)
    writer.message(5, (inner) => {
      inner.string(1, 'body');
      inner.message(6, (graph) => writeGraph(graph, body));
      inner.varint(20, ATTRIBUTE_GRAPH);
    });
  writer.string(7, node.domain);
}

function writeAttribute(writer: WireWriter, name: string, value: AttributeValue): void {
  writer.string(1, name);
  if ('float' in value) {
    writer.float(2, value.float);
    writer.varint(20, ATTRIBUTE_FLOAT);
  } else if ('int' in value) {
    writer.varint(3, value.int);
    writer.varint(20, ATTRIBUTE_INT);
  } else if ('string' in value) {
    writer.string(4, value.string);
    writer.varint(20, ATTRIBUTE_STRING);
  } else {
    for (const element of value.ints) writer.varint(8, element);
    writer.varint(20, ATTRIBUTE_INTS);
  }
}

function writeTensor(writer: WireWriter, tensor: TensorData): void {
  for (const dimension of tensor.shape) writer.varint(1, Number(dimension));
  writer.varint(2, ELEMENT_TYPE_NUMBERS[tensor.type]);
  writer.string(8, tensor.name);
  const { buffer, byteOffset, byteLength } = tensor.data;
  writer.bytes(9, new Uint8Array(buffer, byteOffset, byteLength));
}

function writeValueInfo(writer: WireWriter, value: ValueInfo): void {
  writer.string(1, value.name);
  writer.message(2, (type) =>
    type.message(1, (tensorType) => {
      tensorType.varint(1, ELEMENT_TYPE_NUMBERS[value.type]);
      tensorType.message(2, (shape) => {
        for (const dimension of value.shape)
          shape.message(1, (inner) =>
            typeof dimension === 'number' ? inner.varint(1, dimension) : inner.string(2, dimension),
          );
      });
    }),
  );
}
