/**
 * A computation graph under construction. Every value knows its element type and shape. The functions in `operations/`
 * add operators and check shapes, so a wrong graph fails where it is built. `gradients/` differentiates the record of
 * nodes, and `proto.ts` writes it.
 */
import { type AttributeValue, type ElementType, encodeModel, type GraphMessage, type TensorData } from './proto.ts';
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
  /** The body of a Loop. */
  readonly body?: Graph;
}

export interface NodeRequest {
  readonly operator: string;
  /** Default: the standard operators. */
  readonly domain?: string;
  readonly inputs: readonly (Value | null)[];
  /** Type and shape of each output. */
  readonly outputs: readonly { readonly type: ElementType; readonly shape: Shape }[];
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
  readonly body?: Graph;
}

export class Graph {
  readonly name: string;
  readonly #parent: Graph | null;
  readonly nodes: GraphNode[] = [];
  readonly #inputs: Value[] = [];
  readonly #outputs = new Map<string, Value>();
  readonly initializers: TensorData[] = [];
  readonly #constants = new Map<string, Value>();
  readonly #integerConstants = new Map<Value, readonly number[]>();
  /** Values of enclosing graphs, mapped to this graph's values. */
  readonly #captured = new Map<Value, Value>();
  /** int64 [1] values with the sizes of named dimensions. */
  readonly #sizes = new Map<string, Value>();
  /** Shared with the enclosing graphs: ONNX forbids a body to reuse a name. */
  readonly #names: Set<string>;

  /** Makes a top-level graph, or the body of a loop in `parent`. */
  constructor(name: string, parent: Graph | null = null) {
    this.name = name;
    this.#parent = parent;
    this.#names = parent === null ? new Set() : parent.#names;
  }

  /** Adds a tensor that is fed at every run. */
  input(name: string, type: ElementType, shape: Shape): Value {
    const value = this.#value(this.#claim(name), type, shape);
    this.#inputs.push(value);
    return value;
  }

  /** Makes a value of an enclosing graph usable in this body. */
  capture(outer: Value): Value {
    if (outer.graph === this) return outer;
    if (!this.#isInside(outer.graph)) throw graphError(`${outer.name} is not of a graph around ${this.name}`);
    for (const [inner, known] of this.#captured) if (known === outer) return inner;
    const inner = this.#value(outer.name, outer.type, outer.shape);
    this.#captured.set(inner, outer);
    return inner;
  }

  /** Binds a named dimension to its size at run time (int64 [1]), so that `shapeVector` can use it. */
  bindDimension(name: string, size: Value): void {
    this.#sizes.set(name, size);
  }

  /** Returns a shape as int64 vector for Reshape. At most one named dimension may be unbound; Reshape infers it. */
  shapeVector(shape: Shape): Value {
    const names = shape.filter((dimension) => typeof dimension === 'string');
    const unbound = names.length === 1 ? names : names.filter((name) => !this.#sizes.has(name));
    if (unbound.length > 1) throw graphError(`shape ${shapeText(shape)}: ${unbound.join(' and ')} are not known`);
    const part = (dimension: number | string) =>
      typeof dimension === 'number' ? dimension : dimension === unbound[0] ? -1 : this.#sizes.get(dimension)!;
    const parts = shape.map(part);
    if (parts.every((size) => typeof size === 'number')) return this.integers(parts);
    const name = `shape_${shape.join('_')}`;
    const known = this.#constants.get(name);
    if (known) return known;
    const inputs = parts.map((size) => (typeof size === 'number' ? this.integers([size]) : size));
    const vector = this.operation({ operator: 'Concat', inputs, attributes: { axis: { int: 0 } } }, 'int64', [
      shape.length,
    ]);
    this.#constants.set(name, vector);
    return vector;
  }

  /** Adds a constant tensor to the model (a weight, a table). Its data is read when the model is encoded. */
  initializer(name: string, shape: Shape, data: TensorData['data']): Value {
    if (data.length !== elementCount(shape))
      throw graphError(`initializer ${name} has ${data.length} elements for shape ${shapeText(shape)}`);
    const type = elementTypeOf(data);
    this.initializers.push({ name: this.#claim(name), type, shape, data });
    return this.#value(name, type, shape);
  }

  /** Adds a float32 scalar. */
  scalar(number: number): Value {
    return this.#constant(`scalar_${number}`, [], new Float32Array([number]));
  }

  /** Adds an int64 vector, for inputs that are shapes, axes or indices. */
  integers(numbers: readonly number[]): Value {
    const value = this.#constant(
      `integers_${numbers.join('_')}`,
      [numbers.length],
      BigInt64Array.from(numbers, BigInt),
    );
    this.#integerConstants.set(value, numbers);
    return value;
  }

  /** Returns the numbers of a value made by `integers`. */
  integersOf(value: Value): readonly number[] {
    const numbers = this.#integerConstants.get(value);
    if (numbers === undefined) throw graphError(`${value.name} is not a constant vector of integers`);
    return numbers;
  }

  /** Adds an operator of any kind and returns its outputs. `operations/` has a checked function for each kind. */
  node(request: NodeRequest): Value[] {
    for (const input of request.inputs)
      if (input !== null && input.graph !== this)
        throw graphError(`${request.operator}: input ${input.name} belongs to graph ${input.graph.name}`);
    const outputs = request.outputs.map(({ type, shape }, index) =>
      this.#value(this.#claim(`${this.#scope()}${request.operator}_${this.nodes.length}_${index}`), type, shape),
    );
    this.nodes.push({
      operator: request.operator,
      domain: request.domain ?? '',
      inputs: request.inputs,
      outputs,
      attributes: request.attributes ?? {},
      ...(request.body && { body: request.body }),
    });
    return outputs;
  }

  /** Adds an operator with one output. */
  operation(request: Omit<NodeRequest, 'outputs'>, type: ElementType, shape: Shape): Value {
    return this.node({ ...request, outputs: [{ type, shape }] })[0]!;
  }

  /** Makes a value a named output of the graph. */
  output(name: string, value: Value): void {
    if (this.#outputs.has(name)) throw graphError(`output ${name} is named twice`);
    this.#outputs.set(this.#claim(name), value);
  }

  /** Returns the model as ONNX bytes. ONNX Runtime drops nodes that no output needs. */
  encode(): Uint8Array {
    return encodeModel(this.#message((value) => value.name));
  }

  /** `outerName` returns the names of the enclosing graph's values. */
  #message(outerName: (value: Value) => string): GraphMessage {
    const renamed = new Map<Value, string>();
    const copies: [Value, string][] = [];
    const produced = new Set(this.nodes.flatMap((node) => node.outputs));
    for (const [name, value] of this.#outputs) {
      // An output takes over the name of its value: an Identity node would copy the tensor.
      if (produced.has(value) && !renamed.has(value)) renamed.set(value, name);
      else copies.push([value, name]);
    }
    const nameOf = (value: Value): string => {
      const outer = this.#captured.get(value);
      if (outer !== undefined) return nameOf(outer);
      return value.graph === this ? (renamed.get(value) ?? value.name) : outerName(value);
    };
    const nodes = this.nodes.map(({ operator, domain, inputs, outputs, attributes, body }) => ({
      operator,
      domain,
      inputs: inputs.map((input) => (input === null ? '' : nameOf(input))),
      outputs: outputs.map(nameOf),
      attributes,
      ...(body && { body: body.#message(nameOf) }),
    }));
    for (const [value, name] of copies)
      nodes.push({ operator: 'Identity', domain: '', inputs: [nameOf(value)], outputs: [name], attributes: {} });
    return {
      name: this.name,
      nodes,
      initializers: this.initializers,
      inputs: this.#inputs,
      outputs: [...this.#outputs].map(([name, { type, shape }]) => ({ name, type, shape })),
    };
  }

  #constant(name: string, shape: Shape, data: TensorData['data']): Value {
    const known = this.#constants.get(name);
    if (known) return known;
    const value = this.initializer(`${this.#scope()}${name}`, shape, data);
    this.#constants.set(name, value);
    return value;
  }

  #isInside(graph: Graph): boolean {
    return this.#parent !== null && (this.#parent === graph || this.#parent.#isInside(graph));
  }

  /** Returns a prefix that keeps the names of a body distinct. */
  #scope(): string {
    return this.#parent === null ? '' : `${this.#parent.#scope()}${this.name}/`;
  }

  #value(name: string, type: ElementType, shape: Shape): Value {
    return { graph: this, name, type, shape };
  }

  #claim(name: string): string {
    if (name === '' || this.#names.has(name)) throw graphError(`the name "${name}" is empty or taken`);
    this.#names.add(name);
    return name;
  }
}

function elementTypeOf(data: TensorData['data']): ElementType {
  if (data instanceof Float32Array) return 'float32';
  if (data instanceof BigInt64Array) return 'int64';
  if (data instanceof Int32Array) return 'int32';
  return 'bool';
}
