/**
 * Headers with `prelude`: statements over a part of Lean's library. What is proved there, what a proof cannot use, and what a
 * header or a file cannot make of the names that it does not import. Real Lean; some fifteen seconds of a core.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { environment, kindsOf, open, scratchDirectory } from '../testing/opened-verifier.ts';
import { certifyProofs } from './certificate/certify-proofs.ts';
import { certificateFile, type ProofText } from './certificate/proofs-text.ts';
import { checkFile } from './check-file.ts';

vi.setConfig({ testTimeout: 180_000 });

/** Before most theorems on lists, before `omega` and `grind`, and before there is any tactic or notation. */
const LISTS = 'prelude\nimport Init.Data.List.Basic\nimport Init.Omega\n\nopen List\nuniverse u';
const TACTICS = 'prelude\nimport Init.Tactics';
const BARE = 'prelude\nimport Init.Prelude';

const BINDERS = '{α β : Type u} (f : α → β) (xs ys : List α) : map f (xs ++ ys) = map f xs ++ map f ys';
const MAP = `theorem t ${BINDERS}`;
const BY_INDUCTION = '  induction xs with\n  | nil => rfl\n  | cons x xs ih => exact congrArg (f x :: ·) ih';

describe('rows', () => {
  test('are proved over what their header imports, and fail in the ordinary way without the rest', async () => {
    const verifier = await open({ batchSize: 100 });
    const rows = [
      { id: 'induction', header: LISTS, statement: MAP, proof: BY_INDUCTION, is: 'proved' },
      { id: 'CRLF', header: LISTS.replaceAll('\n', '\r\n'), statement: MAP, proof: BY_INDUCTION, is: 'proved' },
      { id: 'itself', header: LISTS, statement: MAP, proof: '  exact List.map_append', is: 'rejected' },
      {
        id: 'with the rest',
        header: 'import Init\nopen List\nuniverse u',
        statement: MAP,
        proof: '  simp',
        is: 'proved',
      },
      {
        id: 'tactics',
        header: TACTICS,
        statement: 'theorem t (p : Prop) (h : p) : p',
        proof: '  exact h',
        is: 'proved',
      },
      { id: 'omega', header: TACTICS, statement: 'theorem t (a : Nat) : a = a', proof: '  omega', is: 'rejected' },
      { id: 'grind', header: TACTICS, statement: 'theorem t (a : Nat) : a = a', proof: '  grind', is: 'rejected' },
      { id: 'simp', header: TACTICS, statement: 'theorem t (a : Nat) : a = a', proof: '  simp', is: 'rejected' },
      {
        id: 'no tactic',
        header: BARE,
        statement: 'theorem t (p : Prop) (h : p) : p',
        proof: '  exact h',
        is: 'rejected',
      },
      { id: 'no notation', header: BARE, statement: 'theorem t : 1 = 1', proof: '  rfl', is: 'header_error' },
      { id: 'later', header: BARE, statement: 'theorem t : Iff True True', proof: '  rfl', is: 'header_error' },
    ];
    const expected = Object.fromEntries(rows.map(({ id, is }) => [id, is]));
    const results = await verifier.check(rows);
    expect(kindsOf(results)).toEqual(expected);
    expect(results.filter(({ kind }) => kind !== 'proved').every(({ messages }) => messages.length > 0)).toBe(true);
    expect(kindsOf(await verifier.check(rows, { explains: () => false }))).toEqual(expected);
  });

  test('cannot give a name that their header leaves out another meaning', async () => {
    const verifier = await open({ batchSize: 100 });
    const own = 'abbrev Iff (a b : Prop) : Prop := a → a';
    const rows = [
      { id: 'read as Lean’s', header: `${TACTICS}\n${own}`, statement: 'theorem t : Iff True False' },
      {
        id: 'of another name',
        header: `${TACTICS}\n${own.replace('Iff', 'Own')}`,
        statement: 'theorem t : Own True False',
      },
    ];
    const results = await verifier.check(rows.map((row) => ({ ...row, proof: '  exact fun h => h' })));
    expect(results.map(({ kind, messages }) => [kind, messages[0]?.text])).toEqual([
      ['header_error', 'the header declares Iff, which reads like the imported Iff'],
      ['proved', undefined],
    ]);
  });

  test('of different lists of imports are certified in files of their own', async () => {
    const texts: ProofText[] = [
      { name: 'Kept.a', header: LISTS, statement: MAP, proof: BY_INDUCTION, premises: [] },
      { name: 'Kept.b', header: 'import Init\nopen List\nuniverse u', statement: MAP, proof: '  simp', premises: [] },
      { name: 'Kept.c', header: LISTS, statement: MAP, proof: '  simp', premises: [] },
    ];
    const files: string[] = [];
    const findings = await certifyProofs(texts, async (text, certificate) => {
      files.push(text);
      const path = join(scratchDirectory, 'Certificate.lean');
      writeFileSync(path, text);
      return checkFile(path, environment, { scratchDirectory, certificate });
    });
    expect(findings.map(({ certified }) => certified)).toEqual([true, true, false]);
    expect(files.filter((text) => text.includes('Kept') && text.startsWith('prelude\n')).length).toBeGreaterThan(0);
    expect(files.every((text) => text.startsWith('prelude\n') !== /^import Init$/mu.test(text))).toBe(true);
    expect(certificateFile([texts[0]!]).task.importLines[0]).toBe('prelude');
  });
});

describe('a file', () => {
  async function check(text: string) {
    const path = join(scratchDirectory, 'File.lean');
    writeFileSync(path, text);
    const report = await checkFile(path, environment, { scratchDirectory });
    return { ...report, verdicts: report.theorems.map(({ name, verdict }) => `${verdict} ${name}`) };
  }

  test('is judged over what it imports, also where it proves again what it leaves out', async () => {
    const report = await check(
      `${LISTS}\ntheorem List.map_append ${BINDERS} := by\n${BY_INDUCTION}\ntheorem own : True := trivial\n`.replaceAll(
        '\n',
        '\r\n',
      ),
    );
    expect([report.outcome, report.reason, report.verdicts]).toEqual([
      'accepted',
      '',
      ['accepted List.map_append', 'accepted own'],
    ]);
  });

  test('may not define what Lean’s library defines, and what reads so within a namespace is told', async () => {
    const own = 'inductive Iff (a b : Prop) : Prop | intro : Iff a b';
    const theorem = 'theorem t : Iff True False := Iff.intro';
    const atTop = await check(`${BARE}\n${own}\n${theorem}\n`);
    expect(atTop.outcome).toBe('rejected');
    expect(atTop.reason).toContain('Iff: Lean’s library has a constant of this name, which is not imported here');
    for (const [open, close] of [
      ['namespace N', 'end N'],
      ['namespace N', 'end N\nexport N (Iff)'],
    ]) {
      const inside = await check(`${BARE}\n${open}\n${own}\n${close}\nopen N\n${theorem}\n`);
      expect(inside.outcome).toBe('accepted');
      expect(inside.theorems[0]!.meaning?.hides).toContainEqual({ name: 'N.Iff', hidden: 'Iff' });
    }
    const hidden = await check(`${BARE}\nprivate ${own}\n${theorem.replace('theorem', 'private theorem')}\n`);
    expect(hidden.theorems[0]!.meaning?.hides).toContainEqual({ name: 'Iff', hidden: 'Iff' });
  });

  test('without an import is not judged', async () => {
    const report = await check('prelude\ninductive Top : Prop | intro\ntheorem t : Top := Top.intro\n');
    expect([report.outcome, report.reason]).toEqual(['unchecked', expect.stringMatching(/^File\.lean:1:0: prelude/)]);
  });
});
