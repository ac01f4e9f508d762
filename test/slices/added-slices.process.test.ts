/**
 * A prover and an objective are added as CONTRIBUTING says, to a copy of the tree: own files, and lines in two others. The copy
 * then parses a configuration with them, plans and dispatches their work, and shows their tables. About half a minute.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workerSettings } from '../../workers/settings.ts';

const ROOT = join(import.meta.dirname, '../..');
const COPIED = [
  'packages',
  'activities',
  'workflows',
  'workers',
  'infra',
  'cli',
  'data/presets',
  'data/formats',
  'test',
];
const NO_COPY = /\/(?:node_modules|histories|fixtures|golden)$|\.test\.ts$|\.slow\.ts$/u;

/** Own files of a prover `parrot`, whose samples repeat one text. */
const PROVER: Readonly<Record<string, string>> = {
  'packages/config/schemas/provers/parrot.ts': `
/** The prover \`parrot\`: its samples repeat one text. */
import { z } from 'zod';
import { leanProver, namePrompts, slotPrompts } from './prompts.ts';
import { EXPLAINED_SHARE, type Prover, type ProverTurn } from './prover.ts';

const own = { mode: z.literal('parrot'), ...leanProver, parrot: z.strictObject({ text: z.string().default('rfl') }).prefault({}) };
export const parrotSchema = z.discriminatedUnion('slots', [slotPrompts.extend(own), namePrompts.extend(own)]);

const REPEAT = { activity: 'parrotShard', queue: 'host', folder: null, doing: 'repeat for' } as const satisfies ProverTurn;

export const parrot = {
  turns: () => [REPEAT],
  writes: ['proofs'],
  checkedBy: 'lean',
  answersOnce: true,
  explainedShare: EXPLAINED_SHARE,
} satisfies Prover<z.infer<typeof parrotSchema>>;
`,
  'activities/provers/parrot/parrot-shard.ts': `
/** Repeats one text for every statement of a shard. */
import { proverOf } from '@stp/config';
import { dedupeSamples, workItemSchema } from '@stp/selfplay';
import type { RunStore } from '../../ports.ts';
import { once, readAll, writeRecords } from '../../records/record-files.ts';
import { type ShardTurn, sampledSchema } from '../shard-turn.ts';

export function parrotShardActivity(ports: RunStore) {
  return {
    async parrotShard({ run, name, items, config }: ShardTurn) {
      const store = await ports.store(run);
      return once(store, \`\${name}/sampled.json\`, sampledSchema, async () => {
        const { text } = proverOf(config, 'parrot').parrot;
        const raw = (await readAll(store, items, workItemSchema)).map(({ statement }) => ({
          ...{ statementId: statement.id, index: 0, text, tokens: 1, logprob: 0, seed: 0, finish: 'stop' as const },
        }));
        const samples = dedupeSamples(raw, 'parrot');
        return {
          samples: await writeRecords(store, \`\${name}/samples-*.jsonl\`, samples, new AbortController().signal),
          ...{ sampleCount: raw.length, distinctCount: samples.length, tokens: raw.length },
        };
      });
    },
  };
}
`,
  'activities/provers/parrot/section.ts': `
import type { ProverSection } from '../shard-turn.ts';

export const parrotSection: ProverSection = (rounds) => ({
  caption: 'What the parrot said',
  heads: ['Round', 'Samples'],
  rows: rounds.map(({ round, shards }) => [round, shards.reduce((sum, { sampleCount }) => sum + sampleCount, 0)]),
});
`,
};
const PROVER_LINES: Lines = {
  'packages/config/schemas/provers/index.ts': [
    ["import { whole, wholeSchema } from './whole.ts';", "import { parrot, parrotSchema } from './parrot.ts';"],
    ['  scriptsSchema,\n]);', '  parrotSchema,\n'],
    ['  judged,\n  scripts,', '  parrot,'],
  ],
  'activities/provers/index.ts': [
    [
      "import { sampleShardActivity } from './whole/sample-shard.ts';",
      "import { parrotShardActivity } from './parrot/parrot-shard.ts';\nimport { parrotSection } from './parrot/section.ts';",
    ],
    ['  ...sampleShardActivity(ports),', '  ...parrotShardActivity(ports),'],
    ['  revise: reviseSection,', '  parrot: parrotSection,'],
  ],
};

/** Own files of an objective `best`: what earned something trains the model by likelihood. */
const OBJECTIVE: Readonly<Record<string, string>> = {
  'packages/config/schemas/objectives/best.ts': `
/** The objective \`best\`: samples that earned at least so much train the model by likelihood. */
import { z } from 'zod';
import { rewardsSchema } from '../rewards/index.ts';
import { LIKELIHOOD } from './likelihood.ts';
import type { Objective } from './objective.ts';

export const bestSchema = z.strictObject({ kind: z.literal('best'), least: z.number().default(1), rewards: rewardsSchema });
export const best = { provers: ['whole'], loss: () => LIKELIHOOD } satisfies Objective<z.infer<typeof bestSchema>>;
`,
  'activities/objectives/best/best-examples.ts': `
/** The samples that earned at least so much. */
import { sampleRewardSchema } from '@stp/config/records';
import { readRecords } from '../../records/record-files.ts';
import type { ObjectiveExamples, ObjectiveSection } from '../rewarded-rounds.ts';

export const bestExamples: ObjectiveExamples<'best'> = async ({ least }, { store, rounds }) => {
  const counts = { compared: 0, withSignal: 0, samplesWithoutReward: 0 };
  async function* examples() {
    for (const { rewards } of rounds)
      for await (const reward of readRecords(store, rewards, sampleRewardSchema)) {
        counts.compared += 1;
        if (reward.kind === 'reward' && reward.value >= least) yield { sampleId: reward.sampleId };
      }
  }
  return { examples: examples(), counts };
};

export const bestSection: ObjectiveSection = (rounds) => ({
  caption: 'The best samples',
  heads: ['Round', 'Samples looked at'],
  rows: rounds.map(({ round, counts }) => [round, counts.groups?.compared ?? 0]),
});
`,
};
const OBJECTIVE_LINES: Lines = {
  'packages/config/schemas/objectives/index.ts': [
    ["import { z } from 'zod';", "import { best, bestSchema } from './best.ts';"],
    [/\[likelihoodSchema, grpoSchema, gfnSchema\]/u, '[likelihoodSchema, grpoSchema, gfnSchema, bestSchema]'],
    [/= \{ likelihood, grpo, gfn \}/u, '= { likelihood, grpo, gfn, best }'],
  ],
  'activities/objectives/index.ts': [
    [
      "import { gfnExamples } from './gfn/flow-groups.ts';",
      "import { bestExamples, bestSection } from './best/best-examples.ts';",
    ],
    ['  grpo: grpoExamples,', '  best: bestExamples,'],
    ['  grpo: groupsSection,', '  best: bestSection,'],
  ],
};

/** By file, where a text is found: a line after it, or before its end where it closes a list; or what replaces a pattern. */
type Lines = Readonly<Record<string, readonly (readonly [string | RegExp, string])[]>>;

const copy = mkdtempSync(join(tmpdir(), 'stp-slices-'));
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  writeFileSync(join(copy, path), text);
};

function addLines(lines: Lines): void {
  for (const [path, edits] of Object.entries(lines)) {
    let text = readFileSync(join(copy, path), 'utf8');
    for (const [found, added] of edits) {
      const before = text;
      if (typeof found !== 'string') text = text.replace(found, added);
      else if (/\n[\]}]\)?;$/u.test(found))
        text = text.replace(found, () => found.replace(/\n(?=[\]}]\)?;$)/u, `\n${added}`));
      else text = text.replace(found, () => `${found}\n${added}`);
      expect(text, `${path} has ${String(found)}`).not.toBe(before);
    }
    writeFileSync(join(copy, path), text);
  }
}

beforeAll(() => {
  for (const folder of COPIED)
    cpSync(join(ROOT, folder), join(copy, folder), { recursive: true, filter: (path) => !NO_COPY.test(path) });
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(ROOT, file), join(copy, file));
  mkdirSync(join(copy, 'node_modules/@stp'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@stp' && name !== '.bin')
      symlinkSync(join(ROOT, 'node_modules', name), join(copy, 'node_modules', name));
  for (const name of readdirSync(join(ROOT, 'packages')))
    symlinkSync(join(copy, 'packages', name), join(copy, 'node_modules/@stp', name));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** What a script in the copy prints, as JSON. */
async function play(script: string): Promise<unknown> {
  write('play.ts', script);
  const { stdout } = await execa(process.execPath, ['play.ts'], {
    cwd: copy,
    env: { STP_CACHE: workerSettings().cacheDirectory },
  });
  return JSON.parse(stdout.split('\n').at(-1)!);
}

describe('a method that is added', () => {
  it('a prover: two files beside its own; it is configured, dispatched, run and reported', {
    timeout: 600_000,
  }, async () => {
    expect(Object.keys(PROVER_LINES)).toHaveLength(2);
    for (const [path, text] of Object.entries(PROVER)) write(path, text);
    addLines(PROVER_LINES);
    const played = await play(`
      import { pathToFileURL } from 'node:url';
      import { resolveConfig } from '@stp/config';
      import { statement } from '@stp/config/testing';
      import { Worker } from '@temporalio/worker';
      import { createHostActivities } from './activities/index.ts';
      import { PROVER_SECTIONS } from './activities/provers/index.ts';
      import { readAll, writeRecords } from './activities/records/record-files.ts';
      import { sampleSchema } from '@stp/config/records';
      import { openStore } from './infra/stores/open-store.ts';
      import { workflowBundle } from './workers/bundle.ts';
      import * as contracts from './workflows/control/contracts.ts';
      import { localServer } from './test/support/temporal.ts';
      import { fakeActivities, HOST_QUEUE } from './test/workflows/fake-activities.ts';

      const config = resolveConfig({ preset: 'smoke', set: { 'prover.mode': 'parrot', 'prover.parrot.text': 'trivial' } });
      const store = await openStore(pathToFileURL(process.cwd() + '/store').href);
      const items = await writeRecords(store, 'items.jsonl', [
        { statement: statement('theorem a : True'), origin: 'dataset', samples: 8 },
      ], new AbortController().signal);
      const fakes = fakeActivities(1);
      const { prepareEvaluation } = fakes.activities;
      fakes.activities.prepareEvaluation = async (...words) => {
        const plan = await prepareEvaluation(...words);
        return { ...plan, config, shards: [items] };
      };
      fakes.activities.planEvaluation = async () => ({ shards: [items] });
      const { parrotShard } = createHostActivities({ store: async () => store });
      fakes.activities.parrotShard = async (turn) => {
        fakes.calls.push('parrotShard ' + turn.name);
        return parrotShard(turn);
      };
      const [server, codePath] = await Promise.all([localServer(), workflowBundle(process.cwd() + '/cache')]);
      const common = { connection: server.nativeConnection, activities: fakes.activities };
      const taskQueue = contracts.CONTROL_QUEUE;
      const control = await Worker.create({ ...common, taskQueue, workflowBundle: { codePath } });
      const host = await Worker.create({ ...common, taskQueue: HOST_QUEUE });
      const lean = await Worker.create({ ...common, taskQueue: contracts.LEAN_QUEUE });
      const input = { preset: 'smoke', set: {}, checkpoint: '/m', modelName: 'm', round: null, split: 'all' };
      const workflowId = contracts.evaluateWorkflowId('parrot');
      await lean.runUntil(() => host.runUntil(() => control.runUntil(() =>
        server.client.workflow.execute(contracts.EVALUATE_TYPE, { workflowId, taskQueue, args: [input] }))));
      await server.teardown();
      const samples = await store.stat('evaluation/shard-0000/samples-00000.jsonl');
      const table = PROVER_SECTIONS.parrot([{ round: 1, shards: [{ sampleCount: 5 }] }]);
      const calls = fakes.calls.filter((call) => /Shard/.test(call));
      console.log(JSON.stringify({ mode: config.prover.mode, calls, sampled: samples !== null, rows: table.rows }));
      process.exit(0);
    `);
    expect(played).toMatchObject({
      mode: 'parrot',
      calls: ['parrotShard evaluation/shard-0000', 'verifyShard evaluation/shard-0000'],
      rows: [[1, 5]],
    });
  });

  it('an objective: two files beside its own; it is configured, selects what trains, and is reported', {
    timeout: 600_000,
  }, async () => {
    expect(Object.keys(OBJECTIVE_LINES)).toHaveLength(2);
    for (const [path, text] of Object.entries(OBJECTIVE)) write(path, text);
    addLines(OBJECTIVE_LINES);
    const played = await play(`
      import { pathToFileURL } from 'node:url';
      import { resolveConfig } from '@stp/config';
      import { lossOf } from '@stp/config/workflow';
      import { OBJECTIVE_SECTIONS, objectiveExamples } from './activities/objectives/index.ts';
      import { writeRecords } from './activities/records/record-files.ts';
      import { openStore } from './infra/stores/open-store.ts';

      const { objective } = resolveConfig({ preset: 'grpo', set: { 'objective.kind': 'best', 'objective.least': 0.5 } });
      let refused = '';
      try {
        resolveConfig({ preset: 'gflownet', set: { 'objective.kind': 'best' } });
      } catch (error) {
        refused = error.message;
      }
      const store = await openStore(pathToFileURL(process.cwd() + '/rewards').href);
      const rewards = await writeRecords(store, 'rewards.jsonl', [
        { kind: 'reward', sampleId: 'good', value: 1 },
        { kind: 'reward', sampleId: 'bad', value: 0 },
        { kind: 'missing', sampleId: 'none', why: 'test' },
      ], new AbortController().signal);
      const { examples, counts } = await objectiveExamples(objective, { store, rounds: [{ shards: [], rewards }] });
      const found = await Array.fromAsync(examples);
      const { rows } = OBJECTIVE_SECTIONS.best([{ round: 1, counts: { groups: { compared: 3 } } }]);
      console.log(JSON.stringify({ loss: lossOf(objective), found, counts, rows, refused }));
    `);
    expect(played).toMatchObject({
      loss: { kind: 'likelihood' },
      found: [{ sampleId: 'good' }],
      counts: { compared: 3 },
      rows: [[1, 3]],
      refused: expect.stringContaining('prover.mode: is walks, and objective.kind=best takes the samples of whole'),
    });
  });
});
