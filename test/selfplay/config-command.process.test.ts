/** `bin/stp config` prints what a run would take, as a table and as JSON. In this process, under 1 s. */

import { leaves, resolveConfig } from '@stp/config';
import { describe, expect, it, vi } from 'vitest';
import { config } from '../../cli/run/config.ts';

function output(work: () => void): string {
  const log = vi.spyOn(console, 'log').mockReturnValue();
  try {
    work();
    return log.mock.calls.join('\n');
  } finally {
    log.mockRestore();
  }
}

describe('the config command', () => {
  it('has a line for every value: key, value, source, each column where its head is', () => {
    const lines = output(() => config({ preset: 'stp-code', set: { 'sampling.topP': '0.5' } })).split('\n');
    const [valueAt, sourceAt] = [lines[0]!.indexOf('value'), lines[0]!.indexOf('from')];
    const rows = lines.slice(1).map((line) => [line.slice(0, valueAt).trim(), line.slice(valueAt).trim()] as const);
    const resolved = leaves(resolveConfig({ preset: 'stp-code', set: { 'sampling.topP': 0.5 } }));
    expect(rows.map(([key]) => key)).toEqual([...resolved.keys()]);
    for (const [key, rest] of rows) expect(rest.startsWith(`${JSON.stringify(resolved.get(key))} `), key).toBe(true);
    const line = (key: string) => lines.find((one) => one.startsWith(`${key} `))!;
    expect(line('sampling.topP').slice(sourceAt)).toBe('--set');
    expect(line('sampling.samplesFirstRound').slice(sourceAt)).toBe('preset stp-code');
    expect(line('model.layers').slice(sourceAt)).toBe('preset stp-paper');
  });

  it('as JSON has the configuration as a run stores it, and the source of each value', () => {
    vi.stubEnv('STP_SET_SAMPLING__TEMPERATURE', '0.5');
    try {
      const printed = JSON.parse(output(() => config({ preset: 'smoke', seed: 9, json: true })));
      expect(printed.config).toEqual({
        ...resolveConfig({ preset: 'smoke', flags: { seed: 9 } }),
        sampling: { ...resolveConfig({ preset: 'smoke' }).sampling, temperature: 0.5 },
      });
      expect(printed.provenance).toMatchObject({
        seed: '--seed',
        rounds: 'preset smoke',
        'sampling.temperature': 'STP_SET_SAMPLING__TEMPERATURE',
      });
      expect(Object.keys(printed.provenance)).toEqual([...leaves(printed.config).keys()]);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
