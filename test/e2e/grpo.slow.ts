/**
 * Plays the whole preset `grpo` with a small model on few statements: SFT, two rounds of samples, Lean's verdicts,
 * certificates, rewards, advantages and updates, through the command, with its own Temporal server and workers. Slow
 * tier, since it takes minutes.
 *
 * @module-tag slow
 */
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PolicyExample, policyExampleSchema } from '@stp/config';
import { type RoundManifest, roundManifestSchema, summarySchema } from '@stp/config/records';
import { readModel } from '@stp/language-model/testing';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { REPOSITORY } from '../../workers/settings.ts';
import { settings } from '../support/stp.ts';

const VALUES = {
  'data.trainStatementsPerSetMax': 6,
  'data.heldOutStatementsPerSetMax': 2,
  'model.hiddenSize': 64,
  'model.layers': 2,
  'model.feedForwardSize': 128,
  'sft.stepsMax': 150,
  'sampling.samplesFirstRound': 6,
  'sampling.samplesPerStatement': 6,
  'evaluation.samplesPerStatement': 2,
};

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-grpo-'));
});
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));

it('rounds train the model by the advantages of its samples', { timeout: 900_000 }, async () => {
  const run = join(directory, 'run');
  const words = ['selfplay', '--preset', 'grpo', '--rounds', '2', '--run-dir', run, ...settings(VALUES)];
  await execa(process.execPath, [join(REPOSITORY, 'cli', 'main.ts'), ...words]);
  const summary = summarySchema.parse(JSON.parse(await readFile(join(run, 'summary.json'), 'utf8')));
  expect(summary.provedPerRound).toHaveLength(2);
  expect(summary.conjectures.made).toBe(0);
  const manifests = await Promise.all(
    globSync('rounds/*/manifest.json', { cwd: run }).map(
      async (path): Promise<RoundManifest> =>
        roundManifestSchema.parse(JSON.parse(await readFile(join(run, path), 'utf8'))),
    ),
  );
  expect(manifests).toHaveLength(3);
  const models = new Set(manifests.map(({ modelIn }) => modelIn));
  for (const { rewards, counts, examples } of manifests) {
    // Canaries have samples and no rewards.
    expect(rewards!.count).toBeGreaterThan(0);
    expect(rewards!.count).toBeLessThanOrEqual(counts.distinctSamples);
    expect(counts.groups!.compared).toBe(24);
    expect(counts.groups!.withSignal).toBeLessThanOrEqual(24);
    expect(examples === null).toBe(counts.proverExamples === 0);
  }
  // Each round that had something to learn from has made another model.
  expect(models.size).toBe(1 + manifests.filter(({ round, examples }) => round < 2 && examples !== null).length);
  // The rules for proofs fit those of the library, and what rewards train keeps the words of before.
  const kept = await Promise.all(
    globSync('checkpoints/*/', { cwd: run }).map(async (name) => (await readModel(join(run, name))).proofWords),
  );
  expect(kept.length).toBeGreaterThanOrEqual(models.size);
  for (const words of kept) expect(words).toEqual(kept[0]);
  expect(kept[0]!.words.command).toContain('induction');
  expect(kept[0]!.names).toContain('ih');
  const rows = globSync('rounds/*/examples.jsonl', { cwd: run });
  const all: PolicyExample[] = [];
  for (const path of rows)
    for (const line of (await readFile(join(run, path), 'utf8')).split('\n'))
      if (line !== '') all.push(policyExampleSchema.parse(JSON.parse(line)));
  expect(all.some(({ advantage }) => advantage > 0)).toBe(true);
  expect(all.some(({ advantage }) => advantage < 0)).toBe(true);
  expect(all.every(({ logprob }) => logprob !== null && logprob < 0)).toBe(true);
});
