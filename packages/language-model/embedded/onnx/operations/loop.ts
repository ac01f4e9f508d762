/**
 * A counted loop whose body is a graph of its own: values pass from iteration to iteration, and one value of each may
 * be collected.
 */
import { Graph, type Value } from '../graph.ts';
import { type Dimension, graphError, sameShape } from '../shape.ts';

export interface LoopTurn {
  /** Values that the next turn starts with, shapes as at the start. */
  readonly carried: readonly Value[];
  /** Values that are stacked over the turns. */
  readonly collected: readonly Value[];
}

export interface LoopRequest {
  /** Name of the body, different from those of the loops around it. */
  readonly name: string;
  /** Number of turns, an int64 scalar or [1]; also the name of the axis that collected values get. */
  readonly turns: Value;
  readonly turnsDimension: Dimension;
  /** Values that the first turn starts with. */
  readonly initial: readonly Value[];
  /** Adds the body of one turn; `turn` is its int64 number, [1], from 0. Outer values come in by `body.capture`. */
  readonly build: (body: Graph, turn: Value, carried: readonly Value[]) => LoopTurn;
}

/** ONNX `Loop`. Returns what the last turn carries on and the collected values, [turns, …]. */
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
