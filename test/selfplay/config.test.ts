import { describe, expect, it } from 'vitest';
import { presetNames, resolveConfig } from '../../data/config/resolve.ts';
import { StpError } from '../../data/errors.ts';

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
  it.each(presetNames())('preset %s is valid as it stands', (preset) => {
    expect(resolveConfig({ preset }).preset).toBe(preset);
  });
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
});
