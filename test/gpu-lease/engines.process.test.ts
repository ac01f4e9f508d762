/**
 * Tests `tools/bench/gpu/engines.ts` on a small model: one line for each engine, and a failing engine does not stop the
 * next.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { smallCheckpoint, writeCheckpoint } from '@stp/language-model/testing';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';

const ENGINES = resolve(import.meta.dirname, '../../tools/bench/gpu/engines.ts');

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'stp-engines-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

it('measures engines side by side', { timeout: 120_000 }, async () => {
  const model = join(home, 'model');
  await writeCheckpoint(model, smallCheckpoint());
  const prompt = (index: number) => ({ id: `${index}`, index: 0, prompt: `theorem t${index}`, seed: index });
  const prompts = join(home, 'prompts.jsonl');
  await writeFile(prompts, [1, 2].map((index) => `${JSON.stringify(prompt(index))}\n`).join(''));
  const out = join(home, 'engines.jsonl');
  await execa(process.execPath, [ENGINES, model, prompts, out, 'python3', 'embedded:1', 'nothing:1', 'embedded:2']);
  const rows = (await readFile(out, 'utf8')).trim().split('\n');
  const equal = { ofGreedy: 2, greedyEqual: 2 };
  expect(rows.map((row) => JSON.parse(row))).toEqual([
    expect.objectContaining({ engine: 'embedded:1', ...equal }),
    { engine: 'nothing:1', failed: 'there is no engine nothing:1' },
    expect.objectContaining({ engine: 'embedded:2', ...equal }),
  ]);
  for (const row of [rows[0]!, rows[2]!]) {
    const { tokens, processMib } = JSON.parse(row);
    expect(tokens).toBeGreaterThan(0);
    expect(processMib).toBeGreaterThan(10);
  }
});
