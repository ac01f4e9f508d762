import { StpError } from '@stp/base';
import { describe, expect, it } from 'vitest';
import { changedValues, resolveConfig, resolveWithProvenance } from './resolve.ts';

const failure = (work: () => unknown): StpError => {
  try {
    work();
  } catch (error) {
    if (error instanceof StpError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('configuration', () => {
  it('goes preset < file < environment < set < flags', () => {
    const sources = {
      preset: 'smoke',
      file: { path: 'c.json', content: { sampling: { temperature: 0.1, topP: 0.5 }, rounds: 3 } },
      environment: { STP_SET_SAMPLING__TEMPERATURE: '0.2', PATH: '/bin' },
    };
    expect(resolveConfig(sources).sampling).toMatchObject({ temperature: 0.2, topP: 0.5 });
    expect(resolveConfig({ ...sources, set: { 'sampling.temperature': '0.3' } }).sampling.temperature).toBe(0.3);
    expect(resolveConfig({ ...sources, flags: { rounds: 7 } }).rounds).toBe(7);
  });
  it('names an unknown key and the nearest known one', () => {
    const error = failure(() => resolveConfig({ preset: 'smoke', set: { 'sampling.temprature': 1 } }));
    expect(error.code).toBe('STP1001');
    expect(error.message).toContain('"sampling.temprature" (did you mean sampling.temperature?)');
    expect(failure(() => resolveConfig({ preset: 'smoke', environment: { STP_SET_ROUND: '1' } })).message).toContain(
      'did you mean rounds?',
    );
    expect(
      failure(() => resolveConfig({ preset: 'smoke', file: { path: 'c.json', content: { modle: {} } } })).message,
    ).toContain('c.json');
  });
  it('names an unknown preset and the nearest known one', () => {
    expect(failure(() => resolveConfig({ preset: 'smokey' })).message).toContain('did you mean smoke?');
  });
  it.each([0, -1, 1.5, 1001, Number.NaN, 'two', null])('refuses rounds = %s', (rounds) => {
    const error = failure(() => resolveConfig({ preset: 'smoke', set: { rounds } }));
    expect(error.message).toMatch(/^rounds: /);
  });
  it('refuses shapes that no engine can run', () => {
    expect(failure(() => resolveConfig({ preset: 'smoke', set: { 'model.keyValueHeads': 3 } })).message).toContain(
      'keyValueHeads',
    );
  });

  it('says where each value came from', () => {
    const { config, provenance } = resolveWithProvenance({
      preset: 'stp-code',
      file: { path: 'c.json', content: { sampling: { temperature: 0.1, topP: 0.5 }, conjectures: { gate: {} } } },
      environment: { STP_SET_SAMPLING__TOP_P: '0.25', HOME: '/' },
      set: { 'sampling.maxTokens': '64' },
      flags: { seed: 5 },
    });
    expect(config.sampling).toMatchObject({ temperature: 0.1, topP: 0.25, maxTokens: 64 });
    expect(Object.fromEntries(provenance)).toMatchObject({
      seed: '--seed',
      rounds: 'preset stp-code',
      'model.layers': 'preset stp-paper',
      'sampling.temperature': 'c.json',
      'sampling.topP': 'STP_SET_SAMPLING__TOP_P',
      'sampling.maxTokens': '--set',
    });
    expect(resolveWithProvenance({ preset: 'smoke' }).provenance.get('model.tiedEmbeddings')).toBe('default');
  });
  it('weights are one value, and survive the way to a worker', () => {
    const weights = { nng: [{ fromRound: 2, weight: 3 }] };
    const config = resolveConfig({ preset: 'smoke', set: { 'data.weights': JSON.stringify(weights) } });
    expect(config.data.weights).toEqual(weights);
    expect(resolveConfig({ preset: 'smoke', set: changedValues(config) })).toEqual(config);
    const file = { path: 'c.json', content: { data: { weights } } };
    expect(resolveConfig({ preset: 'smoke', file }).data.weights).toEqual(weights);
  });
  it('takes a list as JSON or as words with commas', () => {
    const setsOf = (sets: string): readonly string[] =>
      resolveConfig({ preset: 'smoke', set: { 'data.problemSets': sets } }).data.problemSets;
    expect(setsOf('nng')).toEqual(['nng']);
    expect(setsOf('nng, tip2015')).toEqual(['nng', 'tip2015']);
    expect(setsOf('["nng","tip2015"]')).toEqual(['nng', 'tip2015']);
    const environment = { STP_SET_DATA__PROBLEM_SETS: 'isaplanner' };
    expect(resolveConfig({ preset: 'smoke', environment }).data.problemSets).toEqual(['isaplanner']);
  });
  it.each(['smoke', 'goedel-8b'])(
    'every variant of a section survives the way to a worker, its nulls too: %s',
    (preset) => {
      for (const trainer of [{ kind: 'embedded' }, { kind: 'pytorch', device: 'cpu' }, { kind: 'levanter' }]) {
        const file = { path: 'c.json', content: { engines: { trainer } } };
        const config = resolveConfig({ preset, file });
        expect(resolveConfig({ preset, set: changedValues(config) })).toEqual(config);
      }
    },
  );
  it('what a file says of machines of another kind is refused, what a preset says of its own falls away', () => {
    const cloud = { 'nodes.provider': 'tpu', 'nodes.project': 'test-project', 'nodes.zone': 'us-central2-b' };
    const config = resolveConfig({ preset: 'smoke', set: { ...cloud, 'nodes.accelerator': 'v4-16' } });
    expect(resolveConfig({ preset: 'smoke', set: changedValues(config) })).toEqual(config);
    const local = { ...changedValues(config), 'nodes.provider': 'local' };
    expect(failure(() => resolveConfig({ preset: 'smoke', set: local })).message).toContain('nodes');
  });
  it('refuses weights of a set that the run does not have', () => {
    const set = { 'data.weights': '{"isaplaner": [{"fromRound": 0, "weight": 2}]}' };
    expect(failure(() => resolveConfig({ preset: 'smoke', set })).message).toContain(
      'isaplaner is not among data.problemSets (did you mean isaplanner?)',
    );
  });
  it.each([
    ['smoke', {}, 'is transformers, which has no vectors of texts'],
    ['embedded', { 'prover.mode': 'steps' }, 'is transformers, which has no log-probabilities'],
  ])('refuses an engine that lacks what the run asks of it: %s %j', (preset, set, said) => {
    expect(resolveConfig({ preset, set }).engines.generator.kind).toBe('embedded');
    const wanted = { ...set, 'engines.generator.kind': 'transformers' };
    expect(failure(() => resolveConfig({ preset, set: wanted })).message).toContain(said);
  });
  it('refuses a ranker that no order of actions starts from', () => {
    const set = { 'prover.rankerFrom': 'lean-core' };
    expect(resolveConfig({ preset: 'core', set }).prover).toMatchObject({ rankerFrom: 'lean-core' });
    for (const actions of ['fixed', 'listed'])
      expect(
        failure(() => resolveConfig({ preset: 'core', set: { ...set, 'prover.actions': actions } })).message,
      ).toContain('takes prover.actions=learned');
  });
  it('every key can be set, those with a default of the schema too', () => {
    expect(resolveConfig({ preset: 'smoke', set: { 'model.tiedEmbeddings': false } }).model.tiedEmbeddings).toBe(false);
  });
  it('does not let a file choose another preset', () => {
    const file = { path: 'c.json', content: { preset: 'embedded' } };
    expect(failure(() => resolveConfig({ preset: 'smoke', file })).message).toContain('c.json says preset "embedded"');
    expect(resolveConfig({ preset: 'embedded', file }).preset).toBe('embedded');
  });
});
