/**
 * The graphs of training. `trainingGraph` is a loop over optimizer steps that carries weights and moments; within it a
 * loop over micro-batches adds up gradients. Many steps so run without copies to and from the device. `scoringGraph`
 * computes the log-probabilities of a micro-batch's targets, without gradients.
 */
import type { Architecture } from '../../checkpoint/architecture.ts';
import { differentiate } from '../onnx/gradients/differentiate.ts';
import { Graph, type Value } from '../onnx/graph.ts';
import { add } from '../onnx/operations/arithmetic.ts';
import { gatherRows, reshape, zeros } from '../onnx/operations/layout.ts';
import { loop } from '../onnx/operations/loop.ts';
import { clipScale, globalNorm, updated } from './adamw.ts';
import { type GraphLoss, labelLogProbabilities, weightedLikelihood } from './graph-loss.ts';
import { lossOf, type MicroBatchInputs, microBatch, microBatchInputs } from './micro-batches.ts';
import { type ParameterLayout, parameterLayout } from './parameter-layout.ts';

/** The three vectors that training changes; each has one graph input and output for each weight. */
export const STATE_PARTS = ['parameters', 'firstMoment', 'secondMoment'] as const;
export type StatePart = (typeof STATE_PARTS)[number];
export const inputName = (part: StatePart, weight: string): string => `${part}:${weight}`;
export const outputName = (part: StatePart, weight: string): string => `next:${part}:${weight}`;

const STEP_FACTORS = ['rate', 'epsilon', 'kept'] as const;

/** Options of the optimizer that are part of the graph. */
export interface OptimizerOptions {
  readonly weightDecay: number;
  /** Maximum global norm of an applied gradient; 0 disables clipping. */
  readonly gradientClipNorm: number;
}

/**
 * Returns the ONNX model of K optimizer steps; K is the length of its inputs. Outputs: the state, and each step's
 * loss and norm.
 */
export function trainingGraph(architecture: Architecture, loss: GraphLoss, options: OptimizerOptions): Uint8Array {
  const graph = new Graph('training');
  const { entries } = layoutOf(architecture);
  const inputs = microBatchInputs(graph, loss);
  const firstBatch = graph.input('firstBatch', 'int64', ['steps']);
  const batchCount = graph.input('batchCount', 'int64', ['steps']);
  const factors = STEP_FACTORS.map((name) => graph.input(name, 'float32', ['steps']));
  const initial = STATE_PARTS.flatMap((part) =>
    entries.map(({ name, shape }) => graph.input(inputName(part, name), 'float32', shape)),
  );
  const { carried, collected } = loop(graph, {
    name: 'steps',
    turns: graph.input('stepCount', 'int64', []),
    turnsDimension: 'steps',
    initial,
    build: (body, step, state) => {
      const weights = state.slice(0, entries.length);
      const ofStep = (vector: Value) => gatherRows(body.capture(vector), step);
      const { total, gradients } = stepGradient(body, architecture, loss, weights, inputs, {
        first: ofStep(firstBatch),
        count: ofStep(batchCount),
      });
      const norm = globalNorm(gradients);
      const scale = clipScale(body, norm, options.gradientClipNorm);
      const [rate, epsilon, kept] = factors.map((factor) => reshape(ofStep(factor), []));
      const next = entries.map(({ decays }, index) => {
        const [weight, firstMoment, secondMoment] = [0, 1, 2].map((part) => state[part * entries.length + index]!);
        const own = { scale, rate: rate!, epsilon: epsilon!, kept: decays && options.weightDecay > 0 ? kept! : null };
        return updated(
          { weight: weight!, firstMoment: firstMoment!, secondMoment: secondMoment! },
          gradients[index]!,
          own,
        );
      });
      const carried = [
        ...next.map(({ weight }) => weight),
        ...next.map(({ firstMoment }) => firstMoment),
        ...next.map(({ secondMoment }) => secondMoment),
      ];
      return { carried, collected: [total, norm] };
    },
  });
  STATE_PARTS.forEach((part, nth) => {
    entries.forEach(({ name }, index) => {
      graph.output(outputName(part, name), carried[nth * entries.length + index]!);
    });
  });
  graph.output('losses', collected[0]!);
  graph.output('norms', collected[1]!);
  return graph.encode();
}

/** Returns the ONNX model that scores one micro-batch; output `logProbabilities`, float32 [targets]. */
export function scoringGraph(architecture: Architecture): Uint8Array {
  const graph = new Graph('scoring');
  const inputs = microBatchInputs(graph, weightedLikelihood);
  const { entries } = layoutOf(architecture);
  const parameters = new Map(
    entries.map((entry) => [entry.name, graph.input(inputName('parameters', entry.name), 'float32', entry.shape)]),
  );
  const { outputs, labels } = microBatch(
    graph,
    architecture,
    weightedLikelihood,
    parameters,
    inputs,
    graph.integers([0]),
  );
  graph.output('logProbabilities', labelLogProbabilities(outputs.logits(), labels));
  return graph.encode();
}

/** Returns the loss of a step and its gradient by each weight, summed over the micro-batches from `first` on. */
function stepGradient(
  graph: Graph,
  architecture: Architecture,
  loss: GraphLoss,
  weights: readonly Value[],
  inputs: MicroBatchInputs,
  batches: { readonly first: Value; readonly count: Value },
): { readonly total: Value; readonly gradients: readonly Value[] } {
  const layout = layoutOf(architecture);
  const { carried } = loop(graph, {
    name: 'batches',
    turns: batches.count,
    turnsDimension: 'batches',
    initial: [zeros(graph, []), ...layout.entries.map((entry) => zeros(graph, entry.shape))],
    build: (body, turn, [lossSoFar, ...sums]) => {
      const parameters = capturedParameters(body, layout, weights);
      const index = add(turn, body.capture(batches.first));
      const value = lossOf(loss, microBatch(body, architecture, loss, parameters, inputs, index));
      const gradients = differentiate(value, [...parameters.values()]);
      const totals = gradients.map((gradient, part) => add(sums[part]!, gradient));
      return { carried: [add(lossSoFar!, value), ...totals], collected: [] };
    },
  });
  const [total, ...gradients] = carried;
  return { total: total!, gradients };
}

const layoutOf = ({ shape, constants }: Architecture): ParameterLayout => parameterLayout(shape, constants);

function capturedParameters(body: Graph, layout: ParameterLayout, weights: readonly Value[]): Map<string, Value> {
  return new Map(layout.entries.map(({ name }, index) => [name, body.capture(weights[index]!)]));
}
