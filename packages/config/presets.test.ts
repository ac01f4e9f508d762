/** Every preset is a configuration, and the switches in which they differ have the values of their sources. Under 1 s. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaves } from './keys.ts';
import { loadPreset } from './presets.ts';
import { presetNames, resolveConfig } from './resolve.ts';
import { runConfigSchema } from './schemas/run-config.ts';

const values = (preset: string) => leaves(resolveConfig({ preset }));

/** Source (a section of the STP specification, paper or code), key, value. */
type Row = readonly [source: string, key: string, value: unknown];

const MODEL: readonly Row[] = [
  ['§0, DeepSeek-Prover-V1.5 7B', 'model.hiddenSize', 4096],
  ['§0, DeepSeek-Prover-V1.5 7B', 'model.layers', 30],
  ['§0, DeepSeek-Prover-V1.5 7B', 'model.heads', 32],
  ['§0, DeepSeek-Prover-V1.5 7B', 'model.keyValueHeads', 32],
  ['§0, DeepSeek-Prover-V1.5 7B', 'model.feedForwardSize', 11008],
  ['§0, DeepSeek-Prover-V1.5 7B', 'model.vocabularySize', 102400],
  ['§0, DeepSeek-Prover-V1.5 7B', 'model.tiedEmbeddings', false],
];

/** What paper and code agree on. */
const STP: readonly Row[] = [
  ...MODEL,
  ['§2.10 training length', 'model.contextLength', 2048],
  ['§1.3 SFT set', 'data.sft', 'mathlib-leanworkbook'],
  ['§1.3 all tuples', 'data.conjecturerExamplesPerTheoremMax', null],
  ['§2.10 SFT lr', 'sft.learningRate', 1e-4],
  ['§2.10 SFT warm-up', 'sft.warmupSteps', 20],
  ['§2.10 SFT steps', 'sft.stepsMin', 115],
  ['§2.10 SFT steps', 'sft.stepsMax', 115],
  ['§2.10 batch', 'sft.examplesPerStep', 2048],
  ['App. A lemmas are fixed', 'library', 'fixed'],
  ['App. A samples, later rounds', 'sampling.samplesPerStatement', 32],
  ['App. A temperature', 'sampling.temperature', 1],
  ['App. A top_p', 'sampling.topP', 1],
  ['App. A output cap', 'sampling.maxTokens', 1024],
  ['§2.2 copies aim at 3 × statements', 'conjectures.oversampling', 3],
  ['§2.2 level', 'conjectures.conditionOn.seedLevelMax', 0],
  ['§2.2 no lemma', 'conjectures.conditionOn.noLemmaProbability', 0.5],
  ['§2.2 lemma cap', 'conjectures.conditionOn.lemmaShareMax', 0.1],
  ['§2.2 copies', 'conjectures.copiesMax', 8],
  ['§2.3 temperature', 'conjectures.temperature', 1],
  ['§2.3 no triviality check', 'conjectures.gate.refuseTrivial', false],
  ['§2.3 no vacuity check', 'conjectures.gate.refuseVacuous', false],
  ['§2.3 no negation check', 'conjectures.gate.refuseRefutable', false],
  ['§2.7 band', 'conjectures.reward.bandMax', 0.25],
  ['§2.7 elegancy', 'conjectures.inelegantShare', 0.2],
  ['§2.9 band', 'selection.proverBandMax', 0.5],
  ['§2.9 replay', 'selection.replayRounds', 3],
  ['§2.9 all proofs', 'selection.proofsPerStatementMax', null],
  ['§2.9 gamma', 'selection.decayPerCharacter', 0.001],
  ['§2.9 beta', 'selection.decayPerSecond', 0.01],
  ['§2.10 from the round’s model', 'training.from', 'previous'],
  ['§2.10 lr', 'training.learningRate', 5e-5],
  ['§2.10 least steps', 'training.stepsMin', 5],
  ['§2.10 one epoch', 'training.epochs', 1],
  ['§2.10 constant', 'training.schedule', 'constant'],
  ['§2.11 refresh, inferred', 'retrain.everyRounds', 12],
  ['§2.11 empties the buffer', 'retrain.emptiesReplay', true],
  ['§2.10 retrain lr', 'retrain.optimiser.learningRate', 1e-4],
  ['§2.10 retrain least steps', 'retrain.optimiser.stepsMin', 10],
  ['§3 conjectures', 'retrain.conjectureBandMax', 0.25],
  ['§3 proofs a statement', 'retrain.proofsPerStatementMax', 16],
  ['§5.2 REPLs a host', 'verification.processes', 157],
  ['App. A batch', 'verification.candidatesPerProcess', 40],
  ['App. A time-out', 'verification.candidateTimeoutMs', 200_000],
  ['App. A memory', 'verification.memoryBytesMax', 15e9],
  ['App. A unverified', 'verification.unverifiedShareMax', 0.005],
  ['App. A evaluation', 'evaluation.samplesPerStatement', 3200],
];

const MIXED_WEIGHTS = [
  { fromRound: 0, weight: 1 },
  { fromRound: 24, weight: 128 },
];

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  'stp-paper': [
    ...STP,
    ['App. A 48 iterations, round 0 the first', 'rounds', 47],
    [
      '§1.1 sets',
      'data.problemSets',
      ['leanworkbook', 'minif2f-valid', 'proofnet-valid', 'minif2f-test', 'proofnet-test'],
    ],
    ['§9 weight of valid sets', 'data.weights', { 'minif2f-valid': MIXED_WEIGHTS, 'proofnet-valid': MIXED_WEIGHTS }],
    ['§9 K in round 0', 'sampling.samplesFirstRound', 32],
    ['§9 conjecture cap', 'conjectures.perRoundMax', 'unproved'],
    ['§9 seeds', 'conjectures.conditionOn.seedPassRateAbove', 0],
    ['§9 re-attempts of proved', 'selection.reattemptProbability', 0],
    ['§9 re-attempts of proved', 'selection.reattemptPassRateBelow', 0],
    ['§9 conjecturer band', 'conjectures.reward.bandInclusive', true],
    ['§9 lemma must be used', 'conjectures.unusedLemmaFactor', 0],
    ['§9 lemma must be used', 'conjectures.unusedLemmaLeast', 0],
    ['§9 elegancy quantile', 'conjectures.elegancyGroup', 'global'],
    ['§9 transport cap', 'conjectures.transport.weightCap', 3],
    ['§9 transport cap', 'conjectures.transport.capInclusive', false],
    ['§9 prover band', 'selection.proverBandInclusive', false],
    ['§9 final retrain band', 'retrain.datasetBandMax', 0.25],
  ],
  'stp-code': [
    ...STP,
    ['App. A rounds 0 to 11', 'rounds', 11],
    ['§1.1 default sets', 'data.problemSets', ['leanworkbook', 'minif2f-test', 'proofnet-test']],
    ['§1.1 default weight', 'data.weights', {}],
    ['§9 K in round 0', 'sampling.samplesFirstRound', 64],
    ['§9 conjecture cap', 'conjectures.perRoundMax', 'statements'],
    ['§9 seeds', 'conjectures.conditionOn.seedPassRateAbove', 0.35],
    ['§9 re-attempts of proved', 'selection.reattemptProbability', 0.05],
    ['§9 re-attempts of proved', 'selection.reattemptPassRateBelow', 0.35],
    ['§9 conjecturer band', 'conjectures.reward.bandInclusive', false],
    ['§9 relabelled examples', 'conjectures.unusedLemmaFactor', 20],
    ['§9 relabelled examples', 'conjectures.unusedLemmaLeast', 4096],
    ['§9 elegancy quantile', 'conjectures.elegancyGroup', 'lemma'],
    ['§9 transport cap', 'conjectures.transport.weightCap', 4],
    ['§9 transport cap', 'conjectures.transport.capInclusive', true],
    ['§9 prover band', 'selection.proverBandInclusive', true],
    ['§9 final retrain band', 'retrain.datasetBandMax', null],
  ],
  sgs: [
    ...MODEL,
    ['§4.4 rounds', 'rounds', 200],
    ['§4.4 set', 'data.problemSets', ['sgs-d3k']],
    ['§4.4 rollouts', 'sampling.samplesPerStatement', 8],
    ['§4.4 rollouts', 'sampling.samplesFirstRound', 8],
    ['§4.4 tokens', 'sampling.maxTokens', 8192],
    ['§4.4 targets', 'conjectures.conditionOn.kind', 'unproved-target'],
    ['§4.4 a target each', 'conjectures.perRoundMax', 'unproved'],
    ['§4.4 reward', 'conjectures.reward.kind', 'solve-rate'],
    ['§4.4 easiest', 'conjectures.reward.easiestShareDropped', 0.3],
    ['§4.4 guide', 'conjectures.reward.guide', 'rule'],
    ['§4.4 no transport', 'conjectures.transport', null],
    ['§4.4 s ≤ 0.5', 'selection.proverBandMax', 0.5],
    ['§4.4 s ≤ 0.5', 'selection.proverBandInclusive', true],
    ['§4.4 plain likelihood', 'selection.decayPerCharacter', 0],
    ['§4.4 plain likelihood', 'selection.decayPerSecond', 0],
    ['§4.4 the round’s own rollouts', 'selection.replayRounds', 1],
    ['§4.4 all problems', 'selection.reattemptProbability', 1],
    ['§4.4 batch', 'training.examplesPerStep', 32],
    ['§4.4 lr', 'training.learningRate', 3e-6],
    ['§8 system errors', 'verification.unverifiedShareMax', 0.01],
  ],
  'expert-iteration': [
    ['§2.12 K doubled', 'sampling.samplesPerStatement', 16],
    ['§2.12 no conjectures', 'conjectures.source', 'none'],
    ['§2.12 unproved only', 'selection.reattemptProbability', 0],
    ['§2.12 unproved only', 'selection.reattemptPassRateBelow', 0],
    ['§2.12 all proofs so far', 'selection.replayRounds', null],
    ['§2.12 all proofs so far', 'selection.proverBandMax', 1],
    ['§2.12 all proofs so far', 'selection.proverBandInclusive', true],
    ['§2.12 proofs a statement', 'selection.proofsPerStatementMax', 16],
    ['§2.10 each round from the SFT model', 'training.from', 'sft'],
    ['§2.10 no separate retraining', 'retrain.everyRounds', 0],
  ],
  'expert-iteration-optimised': [
    ['§2.12 K doubled', 'sampling.samplesPerStatement', 16],
    ['§2.12 no conjectures', 'conjectures.source', 'none'],
    ['§2.12 proved ones too', 'selection.reattemptProbability', 1],
    ['§2.12 proofs a statement', 'selection.proofsPerStatementMax', 16],
    ['§2.10 each round from the SFT model', 'training.from', 'sft'],
  ],
  'parallel-sampling': [
    ['§2.12 K doubled', 'sampling.samplesPerStatement', 16],
    ['§2.12 no conjectures', 'conjectures.source', 'none'],
    ['§2.12 fixed model', 'training.from', 'none'],
    ['§2.12 fixed model', 'retrain.everyRounds', 0],
  ],
};

describe('every preset', () => {
  it.each(presetNames())('%s is a whole, valid configuration under its own name', (preset) => {
    const config = resolveConfig({ preset });
    expect(config.preset).toBe(preset);
    expect(runConfigSchema.parse(JSON.parse(JSON.stringify(config)))).toEqual(config);
  });
});

for (const [preset, rows] of Object.entries(TABLES))
  describe(`preset ${preset}`, () => {
    it.each(rows)('%s: %s is %j', (_, key, value) => {
      expect(values(preset).get(key)).toEqual(value);
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
