/** Tests that an evaluation shows the published figures of the same family, set and split. Under 1 s. */

import { evaluationReportSchema, type ShardResult } from '@stp/config/records';
import { expect, it } from 'vitest';
import { describe as describeReport } from '../../cli/run/eval-text.ts';
import { describeNow } from '../../cli/run/progress-view.ts';
import { publishedFigures, publishedLines } from '../../cli/run/published.ts';
import type { Progress } from '../../workflows/control/contracts.ts';
import { ShardTally } from '../../workflows/control/shard-tally.ts';

it('all have a source and a share that can be', () => {
  const figures = publishedFigures();
  expect(figures.length).toBeGreaterThan(10);
  for (const { source } of figures) expect(source).toMatch(/^https:\/\/arxiv\.org\/abs\/\d/u);
});

it('are shown for the right set and split, and for no more samples than were drawn', () => {
  expect(publishedLines('minif2f held-out', 'goedel-prover-v2', 32).join('\n')).toContain('84.6');
  expect(publishedLines('minif2f-test held-out', 'deepseek-prover-v2', 1).join('\n')).toContain('58.6');
  expect(publishedLines('minif2f held-out', 'goedel-prover-v2', 16)).toEqual([]);
  expect(publishedLines('minif2f train', 'goedel-prover-v2', 32)).toEqual([]);
  expect(publishedLines('nng held-out', 'goedel-prover-v2', 32)).toEqual([]);
  expect(publishedLines('minif2f held-out', 'embedded', 32)).toEqual([]);
});

it('stand in the text of an evaluation, with its tokens and what they cost', () => {
  const report = evaluationReportSchema.parse({
    name: 'e',
    model: 'abcdef0123456789',
    modelName: 'goedel',
    round: null,
    split: 'all',
    samplesPerStatement: 32,
    temperature: 0.6,
    seed: 1,
    leanVersion: 'Lean',
    samples: 64,
    cutOff: { samples: 7, empty: 3 },
    format: 'goedel-prover-v2',
    verdicts: { proved: 40, no_proof: 24 },
    tokens: 100_000,
    promptTokens: 9_000,
    cost: 0.5,
    leanSeconds: 3,
    groups: [
      {
        ...{ group: 'minif2f held-out', statements: 2, proved: 2, unverified: 0, refused: null },
        block: [{ k: 32, mean: 1, deviation: null }],
        unbiased: [{ k: 32, mean: 1, lower: 0.5, upper: 1 }],
      },
    ],
    eligible: true,
    ineligibleBecause: [],
  });
  const text = describeReport(report);
  expect(text).toContain(
    "7 of 64 samples ended at the token limit; 3 of them are empty, because the prompt fills the model's context",
  );
  expect(text).toContain('published for Goedel-Prover-V2-8B');
  expect(text).toContain(
    '100000 tokens of answers, 50000 for each proved statement; cost 0.50, 0.2500 for each proved',
  );
});

it('names no samples and no temperature of scripts, and one sample in the singular', () => {
  const report = evaluationReportSchema.parse({
    ...{ name: 'e', model: 'scripts', modelName: 'scripts', round: null, split: 'all', format: 'embedded' },
    ...{ samplesPerStatement: 1, temperature: 0.9, seed: 1, leanVersion: 'Lean 4', samples: 2, tokens: 0 },
    ...{ cutOff: { samples: 0, empty: 0 }, verdicts: {}, leanSeconds: 3, groups: [] },
    ...{ eligible: true, ineligibleBecause: [] },
  });
  expect(describeReport(report).split('\n')[0]).toBe('scripts, Lean 4');
  const sampled = describeReport({ ...report, model: 'abcdef0123', modelName: 'm' });
  expect(sampled.split('\n')[0]).toBe('m (abcdef01), 1 sample a statement at temperature 0.9, Lean 4');
});

it('has its tokens and cost so far in its progress', () => {
  const shards = new ShardTally();
  shards.begin(4);
  const shard = { sampleCount: 32, verdictCounts: { proved: 8, rejected: 24 }, tokens: 90_000, promptTokens: 10_000 };
  for (let done = 0; done < 2; done++) shards.add(shard as unknown as ShardResult);
  const progress = { ...shards.figures(), ...shards.spent({ prompt: 1, answer: 4 }), stage: 'prove' };
  const run = { ...progress, child: null, stageStartedAtMs: 0, paused: false, waiting: null } as unknown as Progress;
  const now = describeNow({ run, round: null, activity: {}, retry: null }, 60_000);
  expect(now).toContain('shard 2/4 · 64 samples');
  expect(now).toContain('180000 tokens, cost 0.74');
  expect(new ShardTally().spent(null)).toEqual({ tokens: 0 });
});
