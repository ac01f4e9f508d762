/**
 * The decoder's loss and gradients: against transformers' LlamaForCausalLM (a recorded fixture), against central
 * differences in double precision, and packed against unpacked. Costs about 5 s.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { Graph } from '../../model/embedded/onnx/graph.ts';
import { decoderInputs, decoderLogits, parameterInputs } from '../../model/embedded/training/decoder.ts';
import { GradientEngine } from '../../model/embedded/training/gradient-engine.ts';
import { initialParameters } from '../../model/embedded/training/initial-parameters.ts';
import { weightedLikelihood } from '../../model/embedded/training/objective.ts';
import { type PackedBatch, packedBatch, type TokenisedExample } from '../../model/embedded/training/packed-batch.ts';
import { parameterLayout, parameterView } from '../../model/embedded/training/parameter-layout.ts';
import { shuffledOrder } from '../../model/embedded/training/random.ts';
import type { ModelShape } from '../../model/trainer.ts';
import { evaluate, finiteDifference, relativeError, type Tensor, tensor } from './reference.ts';
import { lively, randomExample, TINY_SHAPE } from './small-model.ts';

const RELATIVE_ERROR_MAX = 1e-5;
/** Elements of each weight compared with central differences, drawn at random. */
const ELEMENTS_CHECKED = 12;

interface Fixture {
  readonly shape: ModelShape;
  readonly examples: readonly TokenisedExample[];
  readonly loss: number;
  readonly parameters: Readonly<Record<string, string>>;
  readonly gradients: Readonly<Record<string, string>>;
}

const floats = (base64: string) => {
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'));
  return new Float32Array(bytes.buffer);
};

const scaleOf = (examples: readonly TokenisedExample[]) =>
  1 / examples.reduce((total, { tokens, promptLength, weight }) => total + weight * (tokens.length - promptLength), 0);

const engines: GradientEngine[] = [];
function engineOf(shape: ModelShape): GradientEngine {
  const engine = new GradientEngine(shape, { threads: 1 });
  engines.push(engine);
  return engine;
}
afterAll(async () => {
  for (const engine of engines) await engine.close();
});

/** Loss and flat gradient of one batch. */
async function lossAndGradient(engine: GradientEngine, parameters: Float32Array, ...batches: readonly PackedBatch[]) {
  const gradient = new Float32Array(parameters.length);
  let loss = 0;
  for (const batch of batches) loss += await engine.accumulate(parameters, batch, gradient);
  return { loss, gradient };
}

describe('against transformers', async () => {
  const path = new URL('../fixtures/model/llama-gradients.json', import.meta.url);
  const fixture: Fixture = JSON.parse(await readFile(path, 'utf8'));
  const { shape, examples } = fixture;
  const layout = parameterLayout(shape);
  const parameters = new Float32Array(layout.size);
  for (const { name, offset } of layout.entries) parameters.set(floats(fixture.parameters[name]!), offset);
  const [long, short, longest, shortest] = [examples[0]!, examples[1]!, examples[2]!, examples[3]!];

  test('the layout holds every weight of the other model and no more', () => {
    expect(layout.entries.map(({ name }) => name).sort()).toEqual(Object.keys(fixture.parameters).sort());
  });

  test.for([
    { name: 'one example a row', rows: [[long], [short], [longest], [shortest]] },
    { name: 'packed', rows: [[long, short], [longest], [shortest]] },
    { name: 'packed in another order', rows: [[shortest, short, long], [longest]] },
  ])('loss and every gradient, $name', async ({ rows }) => {
    const batch = packedBatch(rows, shape.contextLength, scaleOf(examples));
    const { loss, gradient } = await lossAndGradient(engineOf(shape), parameters, batch);
    expect(Math.abs(loss - fixture.loss) / fixture.loss).toBeLessThan(1e-6);
    for (const entry of layout.entries) {
      const error = relativeError(parameterView(gradient, entry), floats(fixture.gradients[entry.name]!));
      expect(error, entry.name).toBeLessThan(RELATIVE_ERROR_MAX);
    }
  });
});

test('loss and gradient agree with central differences', async () => {
  const shape = { ...TINY_SHAPE, contextLength: 8 };
  const parameters = lively(initialParameters(shape, 5), 6);
  const examples = [randomExample(1, 5, 2, 1.5), randomExample(2, 3, 1, 0.5), randomExample(3, 7, 3, 1)];
  const batch = packedBatch([[examples[0]!, examples[1]!], [examples[2]!]], 8, scaleOf(examples));
  const { loss, gradient } = await lossAndGradient(engineOf(shape), parameters, batch);

  const graph = new Graph('reference');
  const layout = parameterLayout(shape);
  const weights = parameterInputs(graph, layout);
  const result = weightedLikelihood(graph, decoderLogits(graph, shape, 8, weights, decoderInputs(graph, 8)));
  const integers = (values: BigInt64Array) => Array.from(values, Number);
  const feeds = new Map<string, Tensor>([
    ['tokens_in', tensor([2, 8], integers(batch.tokens))],
    ['positions', tensor([2, 8], integers(batch.positions))],
    ['attention_bias', tensor([2, 1, 8, 8], batch.attentionBias)],
    ['predictors', tensor([batch.predictors.length], integers(batch.predictors))],
    ['labels', tensor([batch.labels.length], integers(batch.labels))],
    ['weights', tensor([batch.weights.length], batch.weights)],
  ]);
  for (const entry of layout.entries) feeds.set(entry.name, tensor(entry.shape, parameterView(parameters, entry)));
  const nodes = [...graph.nodes];
  expect(loss).toBeCloseTo(evaluate(graph, feeds, result, nodes).data[0]!, 5);
  for (const entry of layout.entries) {
    const { data } = feeds.get(entry.name)!;
    const view = parameterView(gradient, entry);
    const places = [...shuffledOrder(entry.size, 9)].slice(0, ELEMENTS_CHECKED);
    const expected = places.map((place) => {
      const element = data[place]!;
      const slope = finiteDifference((x) => {
        data[place] = x;
        return evaluate(graph, feeds, result, nodes).data[0]!;
      }, element);
      data[place] = element;
      return slope;
    });
    const actual = places.map((place) => view[place]!);
    expect(relativeError(actual, expected), entry.name).toBeLessThan(RELATIVE_ERROR_MAX);
  }
});

describe('packing', async () => {
  const engine = engineOf(TINY_SHAPE);
  const parameters = lively(initialParameters(TINY_SHAPE, 1), 2);
  const examples = [randomExample(1, 6, 2, 1), randomExample(2, 7, 4, 0.5), randomExample(3, 3, 1, 2)];
  const [first, second, third] = [examples[0]!, examples[1]!, examples[2]!];
  const scale = scaleOf(examples);
  const alone = await lossAndGradient(
    engine,
    parameters,
    ...examples.map((example) => packedBatch([[example]], 8, scale)),
  );

  test('a row of several examples gives the loss and gradient of each alone', async () => {
    const packed = await lossAndGradient(engine, parameters, packedBatch([[first, second, third]], 16, scale));
    expect(packed.loss).toBeCloseTo(alone.loss, 5);
    expect(relativeError(packed.gradient, alone.gradient)).toBeLessThan(RELATIVE_ERROR_MAX);
  });

  test('an example does not see its neighbours', async () => {
    const silent = { ...second, weight: 0 };
    const changed = { ...silent, tokens: Array.from(second.tokens, (token) => (token + 5) % 13) };
    const batches = [silent, changed].map((neighbour) => packedBatch([[neighbour, first]], 16, scale));
    const [before, after] = await Promise.all(batches.map((batch) => lossAndGradient(engine, parameters, batch)));
    expect(after!.loss).toBe(before!.loss);
  });

  test('prompt tokens are not scored, the last token is', async () => {
    const batch = packedBatch([[first]], 8, 1);
    expect(Array.from(batch.predictors)).toEqual([1n, 2n, 3n, 4n]);
    expect(Array.from(batch.labels, Number)).toEqual(Array.from(first.tokens).slice(2));
  });
});
