/**
 * The decoder's loss and gradients: against transformers' LlamaForCausalLM (recorded fixtures), against central
 * differences in double precision for two losses, packed against unpacked, and in micro-batches. Costs about 8 s.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { type LlamaConstants, OWN_CONSTANTS } from '../../checkpoint/llama-tensors.ts';
import { lossAndGradient, plainEngine } from '../../testing/one-step.ts';
import { plainDecoder } from '../../testing/plain-decoder.ts';
import { evaluate, finiteDifference, relativeError, tensor } from '../../testing/reference.ts';
import { lively, randomExample, TINY_SHAPE, type WeightedExample, weighted } from '../../testing/small-model.ts';
import type { ModelShape } from '../../trainer.ts';
import { Graph, type Value } from '../onnx/graph.ts';
import { exponential, maximum, multiply, negate, reduceSum, subtract } from '../onnx/operations/arithmetic.ts';
import { contrastive, contrastiveBatch } from './contrastive.ts';
import { type GraphLoss, labelLogProbabilities, weightedLikelihood } from './graph-loss.ts';
import { initialParameters } from './initial-parameters.ts';
import { type PackedBatch, packedBatch } from './packed-batch.ts';
import { type ParameterEntry, parameterLayout, parameterView } from './parameter-layout.ts';
import { shuffledOrder, uniformGenerator } from './random.ts';
import type { TrainingEngine } from './training-engine.ts';

const RELATIVE_ERROR_MAX = 1e-5;
/** Elements of each weight compared with central differences, drawn at random. */
const ELEMENTS_CHECKED = 12;

interface Fixture {
  readonly shape: ModelShape;
  readonly examples: readonly WeightedExample[];
  readonly loss: number;
  readonly parameters: Readonly<Record<string, string>>;
  readonly gradients: Readonly<Record<string, string>>;
}

const floats = (base64: string) => {
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'));
  return new Float32Array(bytes.buffer);
};

const engines: TrainingEngine[] = [];
function engineOf(shape: ModelShape, loss?: GraphLoss, constants?: LlamaConstants): TrainingEngine {
  const engine = plainEngine(shape, loss, constants);
  engines.push(engine);
  return engine;
}
afterAll(async () => {
  for (const engine of engines) await engine.close();
});

describe.each(['llama-gradients', 'llama-gradients-untied'])('against transformers: %s', async (name) => {
  const path = new URL(`../../../../test/fixtures/model/${name}.json`, import.meta.url);
  const fixture: Fixture = JSON.parse(await readFile(path, 'utf8'));
  const { shape } = fixture;
  const examples = weighted(fixture.examples);
  const layout = parameterLayout(shape);
  const parameters = new Float32Array(layout.size);
  for (const { name, offset } of layout.entries) parameters.set(floats(fixture.parameters[name]!), offset);
  const [long, short, longest, shortest] = [examples[0]!, examples[1]!, examples[2]!, examples[3]!];

  test('the layout holds every weight of the other model and no more', () => {
    expect(layout.entries.map(({ name }) => name).sort()).toEqual(Object.keys(fixture.parameters).sort());
  });

  test.for([
    { name: 'one example a row', batches: [[[long], [short], [longest], [shortest]]] },
    { name: 'packed', batches: [[[long, short], [longest], [shortest]]] },
    { name: 'packed in another order', batches: [[[shortest, short, long], [longest]]] },
    { name: 'in two micro-batches', batches: [[[short], [longest]], [[shortest, long]]] },
  ])('loss and every gradient, $name', async ({ batches }) => {
    const lengths = [24, 16];
    const packed = batches.map((rows, index) => packedBatch(rows, lengths[index]!));
    const { loss, gradient } = await lossAndGradient(engineOf(shape), parameters, ...packed);
    expect(Math.abs(loss - fixture.loss) / fixture.loss).toBeLessThan(1e-6);
    for (const entry of layout.entries) {
      const error = relativeError(parameterView(gradient, entry), floats(fixture.gradients[entry.name]!));
      expect(error, entry.name).toBeLessThan(RELATIVE_ERROR_MAX);
    }
  });
});

/** All features that foreign decoders have in addition to Llama's. */
const EVERYTHING: LlamaConstants = {
  rmsEpsilon: 1e-4,
  ropeTheta: 500,
  headSize: 6,
  headNorms: true,
  biases: ['query', 'key', 'value', 'output', 'gate', 'up', 'down'],
  ropeScaling: {
    kind: 'yarn',
    factor: 4,
    trainedLength: 4,
    fast: 2,
    slow: 0.1,
    isRounded: false,
    attention: 1.3,
  },
};

const CLIP = 0.2;

/** PPO's clipped surrogate (Schulman et al. 2017): what a run that trains by reward would make small. Lives in this test only. */
const clippedPolicyGradient: GraphLoss = {
  targetValues: ['advantages', 'oldLogProbabilities'],
  loss: (outputs, labels, values) => {
    const logits = outputs.logits();
    const { graph } = logits;
    const minimum = (a: Value, b: Value) => negate(maximum(negate(a), negate(b)));
    const advantages = values.get('advantages')!;
    const ratio = exponential(subtract(labelLogProbabilities(logits, labels), values.get('oldLogProbabilities')!));
    const clipped = maximum(minimum(ratio, graph.scalar(1 + CLIP)), graph.scalar(1 - CLIP));
    const surrogate = minimum(multiply(ratio, advantages), multiply(clipped, advantages));
    return negate(reduceSum(surrogate, [0], false));
  },
};

/** Advantages of both signs, and old log-probabilities of which some are out of the clip's range. */
function withPolicyValues(batch: PackedBatch): PackedBatch {
  const uniform = uniformGenerator(8);
  const drawn = (low: number, high: number) =>
    batch.labels.reduce<number[]>((all) => [...all, low + (high - low) * uniform()], []);
  const advantages = Float32Array.from(drawn(-1, 1));
  const oldLogProbabilities = Float32Array.from(drawn(-4, -1));
  return { ...batch, targetValues: { ...batch.targetValues, advantages, oldLogProbabilities } };
}

interface Case {
  readonly name: string;
  readonly graphLoss: GraphLoss;
  readonly tiedEmbeddings: boolean;
  readonly constants?: LlamaConstants;
}

/** One in every vector, zero in every matrix. */
function ones(entries: readonly ParameterEntry[], size: number): Float32Array {
  const parameters = new Float32Array(size);
  for (const entry of entries) if (entry.shape.length === 1) parameterView(parameters, entry).fill(1);
  return parameters;
}

describe('loss and gradient agree with central differences', () => {
  test.for<Case>([
    { name: 'weighted likelihood', graphLoss: weightedLikelihood, tiedEmbeddings: true },
    { name: 'weighted likelihood, a head of its own', graphLoss: weightedLikelihood, tiedEmbeddings: false },
    { name: 'another loss through the same seam', graphLoss: clippedPolicyGradient, tiedEmbeddings: true },
    { name: 'contrast of pairs of texts', graphLoss: contrastive(TINY_SHAPE, 2), tiedEmbeddings: true },
    {
      name: 'biases, norms of heads, heads of another size, YaRN',
      graphLoss: weightedLikelihood,
      tiedEmbeddings: true,
      constants: EVERYTHING,
    },
  ])('$name', async ({ name, graphLoss, tiedEmbeddings, constants = OWN_CONSTANTS }) => {
    const shape: ModelShape = { ...TINY_SHAPE, contextLength: 8, tiedEmbeddings };
    const { entries, size } = parameterLayout(shape, constants);
    const parameters =
      constants === OWN_CONSTANTS ? lively(initialParameters(shape, 5), 6) : lively(ones(entries, size), 6);
    const examples = weighted([randomExample(1, 5, 2, 1.5), randomExample(2, 3, 1, 0.5), randomExample(3, 7, 3, 1)]);
    const batch = name.startsWith('contrast')
      ? contrastiveBatch([
          { query: [3, 1, 4, 1, 5], match: [2, 6] },
          { query: [5, 3], match: [5, 8, 9, 7] },
        ])
      : withPolicyValues(packedBatch([[examples[0]!, examples[1]!], [examples[2]!]], 8));
    const { loss, gradient } = await lossAndGradient(engineOf(shape, graphLoss, constants), parameters, batch);

    const graph = new Graph('reference');
    const { outputs, labels, feeds } = plainDecoder(graph, { shape, constants }, parameters, batch);
    const values = new Map(
      graphLoss.targetValues.map((name) => {
        feeds.set(name, tensor(labels.shape.map(Number), batch.targetValues[name]!));
        return [name, graph.input(name, 'float32', labels.shape)];
      }),
    );
    const result = graphLoss.loss(outputs, labels, values);
    const lossNow = () => evaluate(graph, feeds, result, graph.nodes).data[0]!;
    expect(loss).toBeCloseTo(lossNow(), 5);
    for (const entry of entries) {
      const { data } = feeds.get(entry.name)!;
      const view = parameterView(gradient, entry);
      const indices = [...shuffledOrder(entry.size, 9)].slice(0, ELEMENTS_CHECKED);
      const expected = indices.map((index) => {
        const element = data[index]!;
        const slope = finiteDifference((x) => {
          data[index] = x;
          return lossNow();
        }, element);
        data[index] = element;
        return slope;
      });
      const actual = indices.map((index) => view[index]!);
      expect(relativeError(actual, expected), entry.name).toBeLessThan(RELATIVE_ERROR_MAX);
    }
  });
});

describe('packing', async () => {
  const engine = engineOf(TINY_SHAPE);
  const parameters = lively(initialParameters(TINY_SHAPE, 1), 2);
  const examples = weighted([randomExample(1, 6, 2, 1), randomExample(2, 7, 4, 0.5), randomExample(3, 3, 1, 2)]);
  const [first, second, third] = [examples[0]!, examples[1]!, examples[2]!];
  const alone = await lossAndGradient(engine, parameters, ...examples.map((example) => packedBatch([[example]], 8)));

  test('a row of several examples gives the loss and gradient of each alone', async () => {
    const packed = await lossAndGradient(engine, parameters, packedBatch([[first, second, third]], 16));
    expect(packed.loss).toBeCloseTo(alone.loss, 5);
    expect(relativeError(packed.gradient, alone.gradient)).toBeLessThan(RELATIVE_ERROR_MAX);
  });

  test('micro-batches of one row add up to the gradient of all rows at once', async () => {
    const shape = { ...TINY_SHAPE, hiddenSize: 32, vocabularySize: 50, contextLength: 64 };
    const many = weighted(
      Array.from({ length: 24 }, (_, seed) => randomExample(seed, 40 + seed, 12, 1 + (seed % 3), 50)),
    );
    const weights = initialParameters(shape, 3);
    const rows = many.map((example) => [example]);
    const own = engineOf(shape);
    const whole = await lossAndGradient(own, weights, packedBatch(rows, 64));
    const parts = await lossAndGradient(own, weights, ...rows.map((row) => packedBatch([row], 64)));
    expect(relativeError(parts.gradient, whole.gradient)).toBeLessThan(1e-6);
    expect(parts.loss).toBeCloseTo(whole.loss, 5);
  });

  test('an example does not see its neighbours', async () => {
    const silent = { ...second, weights: [0, 0, 0] };
    const changed = { ...silent, tokens: Array.from(second.tokens, (token) => (token + 5) % 13) };
    const batches = [silent, changed].map((neighbour) => packedBatch([[neighbour, first]], 16));
    const [before, after] = await Promise.all(batches.map((batch) => lossAndGradient(engine, parameters, batch)));
    expect(after!.loss).toBe(before!.loss);
  });

  test('prompt tokens are not scored, the last token is', () => {
    const batch = packedBatch([[first]], 8);
    expect([...batch.predictors]).toEqual([1, 2, 3, 4]);
    expect([...batch.labels]).toEqual(Array.from(first.tokens).slice(2));
  });
});
