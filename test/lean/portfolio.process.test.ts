/** The portfolio: its scripts as text, what real Lean says of them, and the record that comes with the repository. Half a minute of a core. */
import { join } from 'node:path';
import { resolveConfig } from '@stp/config';
import type { Statement } from '@stp/config/records';
import { PROBLEM_SET_NAMES } from '@stp/datasets/testing';
import { keepRows, PORTFOLIO_VERSION, portfolioStages, readRecord, type StatementContext } from '@stp/lean-explore';
import { describe, expect, test } from 'vitest';
import type { Ports } from '../../activities/ports.ts';
import { portfolioRows } from '../../activities/provers/scripts/portfolio.ts';
import { PORTFOLIO_RECORD, repositorySources } from '../../workers/sources.ts';
import { assembledPorts } from '../support/assembled-ports.ts';

const { folder, ports } = await assembledPorts();

const { verification: limits } = resolveConfig({ preset: 'smoke', set: {}, flags: {} });

const LIST = { name: 'List', isRecursive: true, constructors: ['nil', 'cons'] };
const VARIABLE = {
  kind: 'variable',
  isExplicit: true,
  isIntroduced: true,
  isShadowed: false,
  typeHead: 'List',
} as const;
const CONTEXT: StatementContext = {
  binders: [
    { ...VARIABLE, name: 'xs', inductive: LIST },
    { ...VARIABLE, name: 'ys', inductive: LIST },
  ],
  definitions: [
    {
      name: 'A.app',
      written: 'app',
      kind: 'definition',
      distance: 0,
      signature: null,
      equations: [],
      isRecursive: true,
      arity: 2,
    },
  ],
  applications: [{ definition: 'A.app', written: 'app', isRecursive: true, arguments: ['xs', 'ys'] }],
  predicates: [],
  coreFunctions: [],
  unfoldsToCond: false,
  grind: 'grind',
  core: ['Eq'],
};
const proofs = (context: StatementContext): string[] =>
  portfolioStages(context).flatMap((stage) => stage.map(({ proof }) => proof));

describe('scripts', () => {
  test('are filled in from the context, cheap ones first, none twice', () => {
    const all = proofs(CONTEXT);
    expect(all.slice(0, 2)).toEqual(['  rfl', '  decide']);
    expect(all).toContain('  fun_induction app xs ys <;> grind [app]');
    expect(all).toContain('  induction xs generalizing ys <;> simp_all [app]');
    expect(all).toContain('  induction xs generalizing ys <;> cases ys <;> grind [app]');
    expect(all).toContain('  induction xs generalizing ys <;> (try (rename_i stp_t _; cases stp_t)) <;> grind [app]');
    expect(portfolioStages(CONTEXT)[2]!.map(({ proof }) => proof)).toContain(
      '  induction ys generalizing xs <;> cases xs <;> simp_all [app]',
    );
    expect(new Set(all).size).toBe(all.length);
  });

  test('take variables apart whose types do not recurse, alone and beside an induction', () => {
    const sign = { name: 'Sign', isRecursive: false, constructors: ['plus', 'minus'] };
    const [a, b] = ['a', 'b'].map((name) => ({ ...VARIABLE, name, inductive: sign, typeHead: 'Sign' }));
    const stageOf = (...binders: StatementContext['binders']): string[] =>
      portfolioStages({ ...CONTEXT, binders, applications: [] })[2]!.map(({ proof }) => proof);
    expect(stageOf(a!, b!)).toContain('  cases a <;> cases b <;> simp_all [app]');
    expect(stageOf(a!, CONTEXT.binders[0]!)).toContain('  induction xs generalizing a <;> cases a <;> grind [app]');
  });

  test('begin with the binders that the type still has', () => {
    const later = { ...CONTEXT.binders[1]!, isIntroduced: false };
    const hidden = { ...later, name: null };
    const all = proofs({ ...CONTEXT, binders: [CONTEXT.binders[0]!, later, hidden] });
    expect(all[0]).toBe('  intro ys stp_h2\n  rfl');
    expect(all.every((proof) => proof.startsWith('  intro ys stp_h2\n'))).toBe(true);
  });

  test('of a statement that mentions nothing are the plain ones', () => {
    expect(
      proofs({
        binders: [],
        definitions: [],
        applications: [],
        predicates: [],
        coreFunctions: [],
        unfoldsToCond: false,
        grind: 'grind',
        core: [],
      }),
    ).toEqual(
      ['rfl', 'decide', 'omega', 'simp', 'simp_all', 'grind', 'simp_all\n  omega'].map((tactic) => `  ${tactic}`),
    );
  });
});

describe('on a run’s statements', () => {
  test('what is known is checked, what is not is tried and kept', { timeout: 280_000, tags: ['slow'] }, async () => {
    const of = (name: string, statement: string): Statement => ({
      id: name,
      name,
      header: null,
      statement: `theorem ${name} ${statement}`,
      split: 'train',
      labels: ['demo'],
      weight: 1,
    });
    const statements = [
      of('known', '(xs : List Nat) : app xs [] = xs'),
      of('wrong', '(n : Nat) : double n = n + n'),
      of('failed', ': (1 : Nat) = 2'),
      of('late', '(n : Nat) : n = n'),
    ];
    const kept = new Map([
      ['known', { id: 'known', proof: '  induction xs <;> simp_all [app]', tried: 9, leanMs: 7 }],
      ['wrong', { id: 'wrong', proof: '  exact nowhere', tried: 9, leanMs: 7 }],
      ['failed', { id: 'failed', proof: null, tried: 9, leanMs: 7 }],
    ]);
    const added: string[] = [];
    const asking: Pick<Ports, 'sources' | 'verifier' | 'contexts' | 'portfolioKept'> = {
      ...ports,
      sources: { ...ports.sources, portfolioRecord: async () => null },
      portfolioKept: async () => ({ rows: kept, add: async (rows) => void added.push(...rows.map(({ id }) => id)) }),
    };
    const { signal } = new AbortController();
    const asked = { run: 'demo', limits, signal, report: () => {} };
    const known = (await portfolioRows(asking, statements, { ...asked, triesUnknown: false })).rows;
    // A proof that does not hold is not believed.
    expect([...known.keys()].toSorted()).toEqual(['failed', 'known']);
    expect(added).toEqual([]);
    const { rows } = await portfolioRows(asking, statements, { ...asked, triesUnknown: true });
    expect(rows.get('known')!.proof).toBe('  induction xs <;> simp_all [app]');
    expect(rows.get('failed')!.proof).toBeNull();
    expect(rows.get('wrong')!.proof).not.toBeNull();
    expect(rows.get('late')!.proof).not.toBeNull();
    expect(added).toEqual(['wrong', 'late']);
  });
});

describe('the record', () => {
  test('is of statements of the problem sets, and has proofs that Lean accepts', { tags: ['slow'] }, async () => {
    const record = (await readRecord(PORTFOLIO_RECORD))!;
    expect(record.head.portfolio).toBe(PORTFOLIO_VERSION);
    const sources = repositorySources(folder);
    const all: Statement[] = [];
    for (const set of PROBLEM_SET_NAMES) all.push(...(await Array.fromAsync(sources.problemSet(set))));
    expect(new Set(record.rows.keys()).difference(new Set(all.map(({ id }) => id)))).toEqual(new Set());
    // Every twentieth here; every run checks all of its own.
    const proved = all.filter(({ id }) => record.rows.get(id)?.proof).filter((_, index) => index % 20 === 0);
    const verifier = await ports.verifier('record', limits);
    const checked = await verifier.check(
      proved.map(({ id, header, statement }) => ({ id, header, statement, proof: record.rows.get(id)!.proof! })),
    );
    expect(checked.map(({ kind }) => kind)).toEqual(proved.map(() => 'proved'));
  });

  test('of another list of scripts counts for nothing, and a file that is no record is named', async () => {
    const path = join(folder, 'record.jsonl');
    expect(await readRecord(path)).toBeNull();
    await keepRows(path, { portfolio: PORTFOLIO_VERSION, leanVersion: 'Lean', fingerprint: 'f' }, [
      { id: 'a', proof: null, tried: 3, leanMs: 1 },
    ]);
    expect((await readRecord(path))!.rows.get('a')!.tried).toBe(3);
    const older = join(folder, 'older.jsonl');
    await keepRows(older, { portfolio: 0 as typeof PORTFOLIO_VERSION, leanVersion: 'Lean', fingerprint: 'f' }, []);
    expect(await readRecord(older)).toBeNull();
    await expect(readRecord(join(import.meta.dirname, 'portfolio.process.test.ts'))).rejects.toThrow(
      /is not a row of a portfolio/,
    );
  });
});
