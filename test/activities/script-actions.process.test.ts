/**
 * Tests composed actions on a shard's statements, with real Lean: budgets, the record of tries, the ranker, and its
 * effect on the next round. About ten seconds of a core.
 */

import { resolveConfig } from '@stp/config';
import { type ArtifactRef, NO_ROUND_COUNTS, sampleSchema } from '@stp/config/records';
import { statement } from '@stp/config/testing';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { rankActionsActivity } from '../../activities/provers/scripts/rank-actions.ts';
import { type Scripted, scriptShardActivity } from '../../activities/provers/scripts/script-shard.ts';
import { type TriedStatement, triedStatementSchema } from '../../activities/provers/scripts/tries.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { assembledPorts } from '../support/assembled-ports.ts';
import { rankerTries } from '../support/ranker-tries.ts';

const { ports } = await assembledPorts();

const run = async <T>(activity: unknown, input: object): Promise<T> =>
  (await new MockActivityEnvironment().run(activity as never, input)) as T;

/** What induction proves, and nothing that the fixed order tries first. */
const associative = (name: string, [one, two, three]: readonly string[]) =>
  statement(
    `theorem ${name} (${one} ${two} ${three} : List Nat) : app (app ${one} ${two}) ${three} = app ${one} (app ${two} ${three})`,
  );
const KNOWN = ['a', 'b', 'c'].map((name) =>
  associative(
    name,
    [1, 2, 3].map((index) => `${name}${index}`),
  ),
);
const ISA = 'import Stp\nimport Stp.Problems.Isaplanner\nopen Stp.Problems.Isaplanner';
const FALSE = statement('theorem wrong (n : Nat) : n + 1 = n');
const NEW = associative('fresh', ['xs', 'ys', 'zs']);

const configured = (actions: string, actionMs: number, premises = 0) =>
  resolveConfig({
    preset: 'smoke',
    set: {
      ...{ 'prover.mode': 'scripts', 'prover.actions': actions, 'prover.actionMs': String(actionMs) },
      ...{ 'prover.lemmas': 'marked', 'prover.premisesTried': String(premises) },
    },
  });

async function turn(
  name: string,
  statements: readonly ReturnType<typeof statement>[],
  {
    actions = 'learned',
    actionMs = 400,
    premises = 0,
    ranking = null as ArtifactRef | null,
    library = null as ArtifactRef | null,
  } = {},
) {
  const store = await ports.store('actions');
  const items = await writeRecords(
    store,
    `${name}/items-*.jsonl`,
    statements.map((one) => ({ statement: one, origin: 'dataset', samples: 1 })),
  );
  const config = configured(actions, actionMs, premises);
  const input = { run: 'actions', name, items, earlier: null, library, ranking, config };
  const scripted = await run<Scripted>(scriptShardActivity(ports).scriptShard, input);
  const tried = await readAll(store, scripted.tries!, triedStatementSchema);
  const samples = await readAll(store, scripted.samples, sampleSchema);
  return { store, items, config, scripted, tried, samples, figures: scripted.figures! };
}

/** The words that mean the same on all statements: kinds of actions in full, of the others what comes before the colon. */
const wordsOf = ({ tokens, tries }: TriedStatement): string[] => [
  ...tokens.flatMap((token) => /^[a-z]+(?=:)/u.exec(token)?.[0] ?? []),
  ...tries.flatMap(({ parts }) => parts.map((part) => (KIND.test(part) ? part : part.split(':')[0]!))),
];
const KIND = /^(?:begins|ends|names):/u;

/** A round that left these tries and nothing else. */
async function manifestOf({ store, items, scripted }: Awaited<ReturnType<typeof turn>>): Promise<ArtifactRef> {
  const shard = {
    ...{ items, samples: scripted.samples, verdicts: items, tries: scripted.tries },
    ...{ sampleCount: 1, distinctCount: 1, tokens: 0, verdictCounts: {}, provedStatements: 0, checkMs: 0 },
  };
  const files = { rates: items, proved: items };
  const none = { library: null, conjectures: null, conjecturerExamples: null, examples: null };
  const manifest = {
    round: 0,
    modelIn: 'm',
    ...files,
    ...none,
    shards: [shard],
    counts: NO_ROUND_COUNTS,
  };
  return store.put('actions/manifest.json', JSON.stringify(manifest));
}

it('learns from the tries of a round within its budget, is the same after a restart, and finds the next proof in an eighth of the time', async () => {
  const first = await turn('first', [...KNOWN, FALSE]);
  // Nobody has learned anything: the fixed order, which the figures say by not naming a ranker.
  expect(first.figures.actionsRanked).toBeUndefined();
  expect(first.figures.actionPriceMs).toBeLessThanOrEqual(400 * 4);
  expect(first.figures.actionsProving).toBe(KNOWN.length);
  expect(first.tried.flatMap(({ tries }) => tries)).toHaveLength(first.figures.actionsTried!);
  const failed = first.tried.find(({ statementId }) => statementId === FALSE.id)!.tries;
  expect(failed.length).toBeGreaterThan(5);
  expect(failed.filter(({ proved }) => proved)).toEqual([]);
  expect(first.samples.filter(({ proof }) => proof.includes('induction'))).toHaveLength(KNOWN.length);

  // The repository's ranker knows these words; one that is renamed loses its weights (data/rankers/README.md).
  const known = new Set((await rankerTries()).flatMap(wordsOf));
  expect(first.tried.flatMap(wordsOf).filter((word) => !known.has(word))).toEqual([]);

  const history = [await manifestOf(first)];
  const asked = { run: 'actions', name: 'rounds/1', history, config: first.config, data: {} };
  const rank = () => run<ArtifactRef>(rankActionsActivity(ports).rankActions, asked);
  const ranking = await rank();
  const weights = await first.store.stat('rounds/1/ranker.bin');
  // A worker that was killed before it said that it was done does the work again: another result would be STP1404.
  await first.store.remove((await first.store.stat('rounds/1/ranking.json'))!);
  expect(await rank()).toEqual(ranking);
  expect(await first.store.stat('rounds/1/ranker.bin')).toEqual(weights);

  const small = { actionMs: 30 };
  const blind = await turn('blind', [NEW, FALSE], small);
  expect(blind.figures.actionsProving).toBe(0);
  const second = await turn('second', [NEW, FALSE], { ...small, ranking });
  expect(second.figures.actionsRanked).toBeGreaterThan(0);
  expect(second.figures.actionsProving).toBe(1);
  expect(second.figures.actionPriceMs).toBeLessThanOrEqual(small.actionMs * 2);
  // What has failed once without marks is not tried again.
  const keys = new Set(failed.map(({ key }) => key));
  const again = second.tried.find(({ statementId }) => statementId === FALSE.id)?.tries ?? [];
  expect(again.filter(({ key }) => keys.has(key))).toEqual([]);

  // Another run starts from these weights: its first round is ranked, and its own tries train them further.
  const data = { ranker: weights! };
  const start = await run<ArtifactRef>(rankActionsActivity(ports).rankActions, {
    ...{ run: 'actions', name: 'other/0', history: [], config: first.config, data },
  });
  const third = await turn('third', [NEW, FALSE], { ...small, ranking: start });
  expect(third.figures.actionsRanked).toBeGreaterThan(0);
  expect(third.figures.actionsProving).toBe(1);
  await run(rankActionsActivity(ports).rankActions, { ...asked, name: 'other/1', data });
  const further = await first.store.stat('other/1/ranker.bin');
  expect(further!.crc32c).not.toBe(weights!.crc32c);
  // A run in the fixed order that takes over such data stays in the fixed order.
  const fixed = { run: 'actions', name: 'other/fixed', history: [], config: configured('fixed', 400), data };
  expect(await run(rankActionsActivity(ports).rankActions, fixed)).toBeNull();
}, 240_000);

const grownTheorem = (marks: readonly string[], proof: string) => ({
  ...{ round: 0, generation: 1, origin: 'dataset', header: ISA, premises: [], marks, proof },
});

/** A library of two theorems on addition. */
async function grownLibrary(): Promise<ArtifactRef> {
  const theorem = grownTheorem(['simp', 'grind ='], 'induction n <;> simp_all [plus]');
  return writeRecords(await ports.store('actions'), 'marked/library-*.jsonl', [
    { ...theorem, name: 'Grown.g1', statementId: 'g1', statement: 'theorem a (n : Nat) : plus n 0 = n' },
    {
      ...{ ...theorem, name: 'Grown.g2', statementId: 'g2' },
      statement: 'theorem b (n m : Nat) : plus n (m + 1) = plus n m + 1',
    },
  ]);
}

it('records how a premise fits and where it comes from, so that a ranker can learn it', async () => {
  const wrong = { ...statement('theorem c (n m : Nat) : plus n m = plus n n'), header: ISA };
  const { tried } = await turn('premises', [wrong], { premises: 3, actionMs: 1_000, library: await grownLibrary() });
  const parts = tried[0]!.tries.map((one) => one.parts).filter((own) => own.includes('names:premise'));
  const from = (where: string) => parts.filter((own) => own.includes(`from:${where}`));
  expect(from('run').map((own) => own.find((part) => part.startsWith('premise:')))).toContain('premise:Grown.g1');
  expect(from('run').length + from('library').length).toBe(parts.length);
  for (const own of parts) {
    const end = own.find((part) => part.startsWith('ends:'))!.slice('ends:'.length);
    expect(own).toEqual(expect.arrayContaining(['same:true', `${end} same:true`, 'says:=', `${end} says:=`]));
  }
}, 240_000);

it('tries each action with the marks of the library and without, and a proof carries those that it needs', async () => {
  const library = await grownLibrary();
  const commutes = { ...statement('theorem c (n m : Nat) : plus n m = plus m n'), header: ISA };
  const [without, within] = await Promise.all([
    turn('unmarked', [commutes], { actionMs: 1_000 }),
    turn('marked', [commutes], { actionMs: 1_000, library }),
  ]);
  expect([without.figures.actionsProving, within.figures.actionsProving]).toEqual([0, 1]);
  expect(within.samples.map(({ proof }) => proof.split('\n')[0])).toEqual(['open Grown.marked2 in']);
  const [{ tries }] = within.tried as [(typeof within.tried)[number]];
  expect(new Set(tries.map(({ marks }) => marks))).toEqual(new Set([null, 'Grown.marked2']));
  expect(tries.every(({ marks, parts }) => parts.includes('marks:open') === (marks !== null))).toBe(true);
  expect(new Set(tries.map(({ key, marks }) => `${key} ${marks}`)).size).toBe(tries.length);
}, 240_000);

it('proves a statement without the marks of a library that breaks its proofs', async () => {
  // As a rewrite rule, this theorem applies to its own result.
  const loops = grownTheorem(['simp'], 'rfl');
  const library = await writeRecords(await ports.store('actions'), 'loops/library-*.jsonl', [
    {
      ...{ ...loops, name: 'Grown.g1', statementId: 'g1' },
      statement: 'theorem a (n m : Nat) : plus n m = plus (plus 0 n) m',
    },
  ]);
  const open = { ...statement('theorem c (n : Nat) : plus (plus n 0) 0 = n'), header: ISA };
  const { figures, samples } = await turn('loops', [open], { actionMs: 1_000, library });
  expect(figures.actionsProving).toBe(1);
  expect(samples[0]!.proof).not.toMatch(/^open/u);
}, 240_000);

it('ranks nothing where nothing was tried, and has no weights where nothing was proved', async () => {
  const config = configured('learned', 20);
  const rank = (name: string, history: readonly ArtifactRef[]) =>
    run<ArtifactRef | null>(rankActionsActivity(ports).rankActions, {
      run: 'actions',
      name,
      history,
      config,
      data: {},
    });
  expect(await rank('rounds/none', [])).toBeNull();
});
