/**
 * Tries every action of the space once on the statements of a prepared set, and records the results. `order-replay.ts`
 * compares orders of actions on the recording. An interrupted recording continues.
 */
import { appendFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import { TRY_HEARTBEATS_MAX } from '@stp/lean-explore';
import { orderKey } from '@stp/selfplay';
import { z } from 'zod';
import { lemmaOffers } from '../../activities/lemma-shelf.ts';
import { statementTokens } from '../../activities/provers/scripts/order.ts';
import { actionsOver } from '../../activities/provers/scripts/statement-actions.ts';
import { assemblePorts } from '../../workers/assemble.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';

const recordedSchema = z.strictObject({
  id: z.string(),
  split: z.enum(['train', 'held-out']),
  labels: z.array(z.string()),
  /** Value of `statementTokens`; empty if its context could not be read. */
  tokens: z.array(z.string()),
  /** In the space's own order. */
  actions: z.array(
    z.strictObject({
      proof: z.string(),
      parts: z.array(z.string()),
      proved: z.boolean(),
      ms: z.number(),
      kind: z.string(),
    }),
  ),
});
export type RecordedStatement = z.infer<typeof recordedSchema>;

export interface RecordOptions {
  readonly set: string;
  readonly path: string;
  readonly train: number;
  readonly heldOut: number;
  readonly premises: number;
}

/** Number of statements whose actions are tried concurrently. */
const AT_ONCE = 10;

export async function readActionRecord(path: string): Promise<RecordedStatement[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [recordedSchema.parse(JSON.parse(line))]));
}

export async function recordActions(options: RecordOptions, say: (line: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'stp-actions-'));
  const settings = { ...workerSettings(), storeUri: pathToFileURL(folder).href };
  const ports = await assemblePorts(settings, await leanEnvironment(settings, say));
  try {
    const { verification } = resolveConfig({ preset: 'embedded', set: { 'verification.processes': '1' }, flags: {} });
    const limits = { ...verification, heartbeatsMax: TRY_HEARTBEATS_MAX };
    const offersFor = await lemmaOffers(
      ports.sources,
      { lemmasShown: options.premises, lemmaTokens: 0, premisesFrom: [options.set] },
      [],
    );
    const actionsOn = actionsOver(offersFor);
    const all = await Array.fromAsync(ports.sources.problemSet(options.set));
    all.sort((a, b) => (orderKey('action-record', a.id) < orderKey('action-record', b.id) ? -1 : 1));
    const some = (split: string, count: number) => all.filter((one) => one.split === split).slice(0, count);
    const [train, held] = [some('train', options.train), some('held-out', options.heldOut)];
    // Both splits advance together, so that an interrupted recording is usable.
    const wanted = train.flatMap((one, at) => [one, ...held.slice(share(at), share(at + 1))]);
    function share(at: number): number {
      return Math.floor((at * held.length) / Math.max(1, train.length));
    }
    await mkdir(dirname(options.path), { recursive: true });
    const known = new Set((await readActionRecord(options.path)).map(({ id }) => id));
    const open = wanted.filter(({ id }) => !known.has(id));
    const { signal } = new AbortController();
    const verifier = await ports.verifier('actions', limits);
    for (let from = 0; from < open.length; from += AT_ONCE) {
      const chunk = open.slice(from, from + AT_ONCE);
      const contexts = await ports.contexts('actions', chunk, limits, signal);
      const actions = chunk.map((one, at) => {
        const { context } = contexts[at]!;
        return context === null ? [] : actionsOn(one, context);
      });
      const results = await verifier.check(
        chunk.flatMap((one, at) =>
          actions[at]!.map(({ proof }, index) => ({
            id: `${one.id} ${index}`,
            header: one.header,
            statement: one.statement,
            proof,
          })),
        ),
        { signal, confirm: false, smallLimitsOnly: true, explains: () => false },
      );
      let at = 0;
      const rows = chunk.map(({ id, split, labels, statement }, index): RecordedStatement => {
        const { context } = contexts[index]!;
        const tokens = context === null ? [] : statementTokens(statement, context);
        const tried = actions[index]!.map(({ proof, parts }) => {
          const { kind, checkMs } = results[at++]!;
          return { proof, parts: [...parts], proved: kind === 'proved', kind, ms: Math.round(checkMs * 10) / 10 };
        });
        return { id, split, labels, tokens, actions: tried };
      });
      await appendFile(options.path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      const tries = rows.reduce((sum, row) => sum + row.actions.length, 0);
      const ms = rows.reduce((sum, row) => sum + row.actions.reduce((total, one) => total + one.ms, 0), 0);
      const proved = rows.filter((row) => row.actions.some((one) => one.proved)).length;
      say(
        `${from + chunk.length} of ${open.length}: ${proved} of ${chunk.length} proved, ${tries} tries, ${(ms / 1000).toFixed(1)} s`,
      );
    }
  } finally {
    await ports.close();
    await rm(folder, { recursive: true, force: true });
  }
}
