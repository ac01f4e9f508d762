/**
 * A counted loop whose body is a separate graph. Values pass from iteration to iteration, and each iteration may add a
 * value to a collected tensor.
 */
import { Graph, type Value } from '../graph.ts';
import { type Dimension, graphError, sameShape } from '../shape.ts';

export interface LoopTurn {
  /** Values for the next iteration; their shapes do not change. */
  readonly carried: readonly Value[];
  /** Values that are stacked over the iterations. */
  readonly collected: readonly Value[];
}

export interface LoopRequest {
  /** Name of the body, distinct from those of enclosing loops. */
  readonly name: string;
  /** Number of iterations, an int64 scalar or [1]; also the name of the collected values' first axis. */
  readonly turns: Value;
  readonly turnsDimension: Dimension;
  /** Values for the first iteration. */
  readonly initial: readonly Value[];
  /**
   * Adds the body of one iteration. `turn` is the iteration's index, int64 [1], from 0. `body.capture` imports outer
   * values.
   */
  readonly build: (body: Graph, turn: Value, carried: readonly Value[]) => LoopTurn;
}

/** ONNX `Loop`. Returns the last iteration's carried values and the collected values, [turns, …]. */
export function loop(graph: Graph, request: LoopRequest): LoopTurn {
  const { name, turns, initial } = request;
  const body = new Graph(name, graph);
  const turn = body.input(`${name}/turn`, 'int64', []);
  const goesOn = body.input(`${name}/goes_on`, 'bool', []);
  const carried = initial.map(({ type, shape }, index) => body.input(`${name}/carried_${index}`, type, shape));
  const asVector = body.operation({ operator: 'Reshape', inputs: [turn, body.integers([1])] }, 'int64', [1]);
  const result = request.build(body, asVector, carried);
  if (result.carried.length !== initial.length || result.carried.some((v, i) => !sameShape(v.shape, initial[i]!.shape)))
    throw graphError(`loop ${name}: what it carries changes in number or shape`);
  body.output(`${name}/goes_on_out`, goesOn);
  [...result.carried, ...result.collected].forEach((value, index) => {
    body.output(`${name}/out_${index}`, value);
  });
  const outputs = graph.node({
    operator: 'Loop',
    inputs: [turns, null, ...initial],
    outputs: [
      ...result.carried.map(({ type, shape }) => ({ type, shape })),
      ...result.collected.map(({ type, shape }) => ({ type, shape: [request.turnsDimension, ...shape] })),
    ],
    body,
  });
  return { carried: outputs.slice(0, initial.length), collected: outputs.slice(initial.length) };
}
