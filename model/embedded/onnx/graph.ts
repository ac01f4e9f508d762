/**
 * A computation graph under construction. Every value knows its element type and shape; operators are added by the
 * functions in `operations/`, which check shapes as they go, so a wrong graph fails where it is written. The record of
 * nodes is what `gradients/` differentiates and `proto.ts` writes.
 */
import { type AttributeValue, type ElementType, encodeModel, type TensorData } from './proto.ts';
import { elementCount, graphError, type Shape, shapeText } from './shape.ts';

/** A tensor in a graph. */
export interface Value {
  readonly graph: Graph;
  readonly name: string;
  readonly type: ElementType;
  readonly shape: Shape;
}

export interface GraphNode {
  readonly operator: string;
  readonly domain: string;
  /** null leaves an optional input out. */
  readonly inputs: readonly (Value | null)[];
  readonly outputs: readonly Value[];
  readonly attributes: Readonly<Record<string, AttributeValue>>;
}

export interface NodeRequest {
  readonly operator: string;
  /** Default: the standard operators. */
  readonly domain?: string;
  readonly inputs: readonly (Value | null)[];
  /** Type and shape of each output. */
  readonly outputs: readonly { readonly type: ElementType; readonly shape: Shape }[];
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
}

export class Graph {
  readonly name: string;
  readonly nodes: GraphNode[] = [];
  private readonly inputs: Value[] = [];
  private readonly outputs = new Map<string, Value>();
  readonly initializers: TensorData[] = [];
  private readonly constants = new Map<string, Value>();
  private readonly integerConstants = new Map<Value, readonly number[]>();
  private readonly names = new Set<string>();

  constructor(name: string) {
    this.name = name;
  }

  /** A tensor fed at every run. */
  input(name: string, type: ElementType, shape: Shape): Value {
    const value = this.value(this.claim(name), type, shape);
    this.inputs.push(value);
    return value;
  }

  /** A tensor written into the model (a baked weight, a table). The data is read when the model is encoded. */
  initializer(name: string, shape: Shape, data: TensorData['data']): Value {
    if (data.length !== elementCount(shape))
      throw graphError(`initializer ${name} has ${data.length} elements for shape ${shapeText(shape)}`);
    const type = elementTypeOf(data);
    this.initializers.push({ name: this.claim(name), type, shape, data });
    return this.value(name, type, shape);
  }

  /** A float32 scalar. */
  scalar(number: number): Value {
    return this.constant(`scalar_${number}`, [], new Float32Array([number]));
  }

  /** A vector of int64, as shape, axis and index inputs want it. */
  integers(numbers: readonly number[]): Value {
    const value = this.constant(`integers_${numbers.join('_')}`, [numbers.length], BigInt64Array.from(numbers, BigInt));
    this.integerConstants.set(value, numbers);
    return value;
  }

  /** The numbers behind a value made by `integers`. */
  integersOf(value: Value): readonly number[] {
    const numbers = this.integerConstants.get(value);
    if (numbers === undefined) throw graphError(`${value.name} is not a constant vector of integers`);
    return numbers;
  }

  /** Adds an operator and returns its outputs. The general way in; `operations/` has a checked function for each. */
  node(request: NodeRequest): Value[] {
    for (const input of request.inputs)
      if (input !== null && input.graph !== this)
        throw graphError(`${request.operator}: input ${input.name} belongs to graph ${input.graph.name}`);
    const outputs = request.outputs.map(({ type, shape }, index) =>
      this.value(this.claim(`${request.operator}_${this.nodes.length}_${index}`), type, shape),
    );
    this.nodes.push({
      operator: request.operator,
      domain: request.domain ?? '',
      inputs: request.inputs,
      outputs,
      attributes: request.attributes ?? {},
    });
    return outputs;
  }

  /** Adds an operator with one output. */
  operation(request: Omit<NodeRequest, 'outputs'>, type: ElementType, shape: Shape): Value {
    return this.node({ ...request, outputs: [{ type, shape }] })[0]!;
  }

  /** Names a value as a result of the graph. */
  output(name: string, value: Value): void {
    if (this.outputs.has(name)) throw graphError(`output ${name} is named twice`);
    this.outputs.set(this.claim(name), value);
  }

  /** The model as ONNX bytes. Nodes no output needs are left to ONNX Runtime to drop. */
  encode(): Uint8Array {
    const renamed = new Map<Value, string>();
    const copies: [Value, string][] = [];
    const produced = new Set(this.nodes.flatMap((node) => node.outputs));
    for (const [name, value] of this.outputs) {
      // An output takes over the name of the value it stands for: an Identity node would copy the tensor.
      if (produced.has(value) && !renamed.has(value)) renamed.set(value, name);
      else copies.push([value, name]);
    }
    const nameOf = (value: Value | null) => (value === null ? '' : (renamed.get(value) ?? value.name));
    const nodes = this.nodes.map((node) => ({
      operator: node.operator,
      domain: node.domain,
      inputs: node.inputs.map(nameOf),
      outputs: node.outputs.map(nameOf),
      attributes: node.attributes,
    }));
    for (const [value, name] of copies)
      nodes.push({ operator: 'Identity', domain: '', inputs: [nameOf(value)], outputs: [name], attributes: {} });
    return encodeModel({
      name: this.name,
      nodes,
      initializers: this.initializers,
      inputs: this.inputs,
      outputs: [...this.outputs].map(([name, { type, shape }]) => ({ name, type, shape })),
    });
  }

  private constant(name: string, shape: Shape, data: TensorData['data']): Value {
    const known = this.constants.get(name);
    if (known) return known;
    const value = this.initializer(name, shape, data);
    this.constants.set(name, value);
    return value;
  }

  private value(name: string, type: ElementType, shape: Shape): Value {
    return { graph: this, name, type, shape };
  }

  private claim(name: string): string {
    if (name === '' || this.names.has(name)) throw graphError(`the name "${name}" is empty or taken`);
    this.names.add(name);
    return name;
  }
}

function elementTypeOf(data: TensorData['data']): ElementType {
  if (data instanceof Float32Array) return 'float32';
  if (data instanceof BigInt64Array) return 'int64';
  if (data instanceof Int32Array) return 'int32';
  return 'bool';
}
