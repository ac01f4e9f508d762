/**
 * Plays one run on an installation: starts it, watches it, and answers as the guide says when it waits for a person.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Installation } from './installation.ts';

const POLL_MS = 4_000;
const PATIENCE_MS = 3_600_000;

const describedSchema = z.object({
  workflowExecutionInfo: z.object({
    status: z.string(),
    historyLength: z.coerce.number(),
    historySizeBytes: z.coerce.number(),
  }),
});
const progressSchema = z.object({
  queryResult: z.array(z.object({ stage: z.string(), round: z.number(), waiting: z.string().nullable() })),
});

export interface RunOutcome {
  /** Temporal's status, or `not ended`. */
  readonly status: string;
  readonly seconds: number;
  /** Reasons for which it waited for a person; the answer was `retryRound`. */
  readonly waits: readonly string[];
  readonly historyEvents: number;
  readonly historyBytes: number;
}

/** The smallest run with every stage and with shards for all nodes. */
export const RUN_CONFIG = {
  nodes: { provider: 'inventory', file: '/mnt/disk/machines.yaml' },
  data: { problemSets: ['nng'], trainStatementsPerSetMax: 24, heldOutStatementsPerSetMax: 3 },
  model: { hiddenSize: 48, layers: 2, feedForwardSize: 96 },
  modelThreads: 1,
  sft: { stepsMax: 150 },
  sampling: { samplesPerStatement: 6, statementsPerShard: 4, maxTokens: 32 },
  conjectures: { perRoundMax: 6 },
  retrain: { everyRounds: 0 },
  evaluation: { samplesPerStatement: 2 },
  // No decay by check time, since times differ between runs.
  selection: { decayPerSecond: 0 },
  verification: { processes: 1, sandbox: 'required' },
};

export async function start(installation: Installation, run: string): Promise<void> {
  const words = ['workflow', 'start', 'stp-selfplay', '--rounds', '2', '--preset', 'smoke', '--seed', '3'];
  await installation.onControl('temporal', [...words, '--config', '/mnt/disk/run.json', '--run', run]);
}

/** Watches the run until it ends, or for the given time. Asks again if the server does not answer. */
export async function untilEnded(
  installation: Installation,
  run: string,
  say: (line: string) => void,
): Promise<RunOutcome> {
  const begun = Date.now();
  const seconds = (): number => (Date.now() - begun) / 1_000;
  const id = ['--workflow-id', `stp/${run}`];
  const waits: string[] = [];
  let last = { historyEvents: 0, historyBytes: 0 };
  let where = '';
  while (Date.now() - begun < PATIENCE_MS) {
    await sleep(POLL_MS);
    const described = await ask(installation, ['workflow', 'describe', ...id], describedSchema);
    if (described === null) continue;
    const { status, historyLength, historySizeBytes } = described.workflowExecutionInfo;
    last = { historyEvents: historyLength, historyBytes: historySizeBytes };
    if (!/RUNNING|CONTINUED/.test(status)) return { status, seconds: seconds(), waits, ...last };
    const progress = await ask(installation, ['workflow', 'query', ...id, '--type', 'progress'], progressSchema);
    if (progress === null) continue;
    const [{ stage, round, waiting } = { stage: '', round: 0, waiting: null }] = progress.queryResult;
    const now = `${stage} ${round}`;
    if (now !== where) say(`run ${run}: ${now}`);
    where = now;
    if (waiting === null) continue;
    say(`run ${run} waits: ${waiting}`);
    waits.push(waiting);
    await installation.onControl('temporal', ['workflow', 'update', 'execute', ...id, '--name', 'retryRound'], {
      reject: false,
    });
  }
  return { status: 'not ended', seconds: seconds(), waits, ...last };
}

async function ask<T>(installation: Installation, words: readonly string[], schema: z.ZodType<T>): Promise<T | null> {
  const asked = await installation.onControl('temporal', [...words, '--output', 'json'], {
    reject: false,
    timeout: 30_000,
  });
  if (asked.exitCode !== 0) return null;
  return schema.safeParse(JSON.parse(String(asked.stdout))).data ?? null;
}
