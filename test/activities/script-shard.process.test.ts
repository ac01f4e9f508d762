/**
 * Tests scripts on statements that a shard's samples did not prove, with real Lean: the tried scripts, their proofs,
 * and the marks. About ten seconds of a core.
 */

import { type RunConfig, resolveConfig } from '@stp/config';
import { type ShardResult, sampleSchema, verdictSchema } from '@stp/config/records';
import { statement } from '@stp/config/testing';
import type { CorpusFile } from '@stp/lean-explore';
import { dedupeSamples } from '@stp/selfplay';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { verifyShardActivity } from '../../activities/lean/verify-shard.ts';
import { scriptShardActivity } from '../../activities/provers/scripts/script-shard.ts';
import type { Sampled } from '../../activities/provers/shard-turn.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import type { AssembledPorts } from '../../workers/assemble.ts';
import { assembledPorts } from '../support/assembled-ports.ts';

const { ports } = await assembledPorts();

const config = resolveConfig({ preset: 'smoke', set: { 'prover.lemmas': 'marked' } });

const run = async <T>(activity: unknown, input: object): Promise<T> =>
  (await new MockActivityEnvironment().run(activity as never, input)) as T;

const ISA = 'import Stp\nimport Stp.Problems.Isaplanner\nopen Stp.Problems.Isaplanner';
const DONE = statement('theorem done (n : Nat) : n = n');
const EASY = statement('theorem easy (xs : List Nat) : app xs [] = xs');
const FALSE = statement('theorem wrong (n : Nat) : n + 1 = n');
const CANARY = statement('theorem canary (n : Nat) : n = n ∧ n + 0 = n');
/** None of the first scripts, all of which end in `grind`, proves it; `omega` does. */
const LATE = { ...statement('theorem late (n : Nat) : n <<< 1 = n + n'), header: ISA };
const HELPED = { ...statement('theorem helped (n m : Nat) : plus n m = plus m n'), header: ISA };

/** The shard after the model's samples: `rfl` for every statement, and the library that its proofs may use. */
async function shard(
  name: string,
  items: readonly object[],
  statements: readonly ReturnType<typeof statement>[],
  rounds: readonly number[] = [1],
  own: { readonly ports: AssembledPorts; readonly config: RunConfig } = { ports, config },
) {
  const store = await ports.store('test');
  const library = await writeRecords(
    store,
    `${name}/library-*.jsonl`,
    [
      ['g1', 'theorem a (n : Nat) : plus n 0 = n', 'induction n <;> simp_all [plus]'],
      ['g2', 'theorem b (n m : Nat) : plus n (m + 1) = plus n m + 1', 'induction n <;> simp_all [plus]'],
    ].map(([grown, text, proof]) => ({
      ...{
        name: `Grown.${grown}`,
        round: 1,
        generation: 1,
        origin: 'conjecture',
        statementId: grown,
        header: ISA,
        statement: text,
        proof,
        premises: [],
      },
      marks: ['simp', 'grind ='],
    })),
  );
  const raw = statements.map(({ id }) => ({
    ...{ statementId: id, index: 0, text: '  rfl', tokens: 1, logprob: -1, seed: 0, finish: 'stop' as const },
  }));
  const samples = await writeRecords(store, `${name}/samples-*.jsonl`, dedupeSamples(raw, 'm'));
  const common = {
    run: 'test',
    name,
    items: await writeRecords(store, `${name}/items-*.jsonl`, items),
    library,
    config: own.config,
  };
  const count = statements.length;
  const sampled: Sampled = { samples, sampleCount: count, distinctCount: count, tokens: count };
  const verify = (folderName: string, more: Sampled, earlier: ShardResult | null): Promise<ShardResult> =>
    run(verifyShardActivity(ports).verifyShard, { ...common, name: folderName, sampled: more, earlier });
  const earlier = await verify(name, sampled, null);
  const found: (Sampled | null)[] = [];
  for (const round of rounds)
    found.push(
      await run<Sampled | null>(scriptShardActivity(own.ports).scriptShard, {
        ...common,
        name: `${name}/${round}`,
        round,
        earlier,
      }),
    );
  const alone = (): Promise<Sampled | null> =>
    run(scriptShardActivity(own.ports).scriptShard, { ...common, name: `${name}/alone`, round: 0, earlier: null });
  return { store, earlier, scripts: found[0] ?? null, found, verify, alone };
}

it('tries what no sample proves, with the marks of the library, and its proofs are verified like others', async () => {
  const all = [DONE, EASY, FALSE, HELPED];
  const items = [...all, CANARY].map((one) => ({
    statement: one,
    origin: one === CANARY ? 'canary' : 'conjecture',
    samples: 1,
  }));
  const { store, earlier, scripts, verify } = await shard('some', items, all);
  expect(earlier.provedStatements).toBe(1);
  const samples = await readAll(store, scripts!.samples, sampleSchema);
  const found = samples.filter(({ model }) => model === 'scripts');
  expect(found.map(({ statementId, indices }) => [statementId, indices])).toEqual([
    [EASY.id, [1]],
    [HELPED.id, [1]],
  ]);
  expect(found[1]!.proof).toMatch(/^open Grown\.marked2 in\ninduction n/u);
  const result = await verify('some/scripts', scripts!, earlier);
  expect(result).toMatchObject({ sampleCount: 6, provedStatements: 3 });
  const verdicts = await readAll(store, result.verdicts, verdictSchema);
  expect(verdicts.filter(({ kind }) => kind === 'proved')).toHaveLength(3);
}, 180_000);

it('adds nothing where no script proves anything', async () => {
  const { scripts } = await shard('none', [{ statement: FALSE, origin: 'dataset', samples: 1 }], [FALSE]);
  expect(scripts).toBeNull();
}, 120_000);

it('as the only prover gives each statement an answer, and Lean is not asked again about those that no script proves', async () => {
  const items = [EASY, FALSE].map((one) => ({ statement: one, origin: 'dataset', samples: 1 }));
  const { store, verify, alone } = await shard('alone', items, []);
  const scripts = await alone();
  const samples = await readAll(store, scripts!.samples, sampleSchema);
  expect(samples.map(({ statementId, refused }) => [statementId, refused?.reason])).toEqual([
    [EASY.id, undefined],
    [FALSE.id, 'no-script'],
  ]);
  const result = await verify('alone/scripts', scripts!, null);
  expect(result).toMatchObject({ sampleCount: 2, provedStatements: 1, verdictCounts: { proved: 1, no_proof: 1 } });
}, 180_000);

it('tries the rest of the list on statements from the third round on, each script in one round of four', async () => {
  const items = [{ statement: LATE, origin: 'dataset', samples: 1 }];
  const raw = await shard('late', items, [LATE], [2, 3, 4, 5, 6]);
  const [second, ...later] = raw.found;
  expect(second).toBeNull();
  const found = later.filter((one) => one !== null);
  expect(found.length).toBeGreaterThan(0);
  expect(found.length).toBeLessThan(later.length);
  const result = await raw.verify('late/scripts', found[0]!, raw.earlier);
  expect(result.provedStatements).toBe(1);
  const conjecture = [{ statement: LATE, origin: 'conjecture', samples: 1 }];
  const asked = await shard('late-conjecture', conjecture, [LATE], [3, 4, 5, 6]);
  expect(asked.found).toEqual([null, null, null, null]);
}, 180_000);

it('tries the premises of a prepared set on statements, each by itself, and not on conjectures', async () => {
  const header =
    'prelude\nimport Init.Data.List.Basic\nimport Init.Omega\nimport Init.Additions.Conditions\nimport Init.Additions.Simp';
  const open = {
    ...statement('theorem pushed (p : List Nat → Prop) (l : List Nat) (h : p []) (k : l.length ≤ 3) : p (l.drop 3)'),
    header,
  };
  const premises = async (): Promise<readonly CorpusFile[]> => {
    const code =
      'theorem List.drop_eq_nil_of_le.{u} {α : Type u} {as : List α} {i : Nat} (h : as.length ≤ i) : List.drop i as = []';
    const range = { start: [1, 1] as [number, number], end: [1, 2] as [number, number] };
    const one = { full_name: 'List.drop_eq_nil_of_le', code, kind: 'theorem', ...range };
    return [{ path: 'Init.Data.List.Basic', imports: [], premises: [one] }];
  };
  const own = {
    ports: { ...ports, sources: { ...ports.sources, premises } },
    config: resolveConfig({
      preset: 'smoke',
      set: { 'prover.premisesTried': '2', 'prover.premisesFrom': '["lists"]' },
    }),
  };
  const asked = (origin: string) => [{ statement: open, origin, samples: 1 }];
  const [with_, without, conjecture] = [
    await shard('premises', asked('dataset'), [open], [1], own),
    await shard('no-premises', asked('dataset'), [open]),
    await shard('premises-conjecture', asked('conjecture'), [open], [1], own),
  ];
  expect([without.scripts, conjecture.scripts]).toEqual([null, null]);
  const samples = await readAll(with_.store, with_.scripts!.samples, sampleSchema);
  expect(samples.find(({ model }) => model === 'scripts')!.proof).toContain('List.drop_eq_nil_of_le');
}, 180_000);
