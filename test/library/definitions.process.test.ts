/** Definitions as text: how each kind is cut, and what a statement stands on under a header. */

import { Definitions } from '@stp/lean-explore';
import { slotKey } from '@stp/selfplay';
import { describe, expect, it } from 'vitest';
import { repositorySources } from '../../workers/sources.ts';

const SOURCE = `
namespace Stp.Sample

/-- A comment with | and := in it. -/
inductive Tree (α : Type) where
  | leaf : Tree α
  | node (l : Tree α) (x : α) (r : Tree α) : Tree α

def Tree.size {α : Type} : Tree α → Nat
  | .leaf => 0
  | .node l _ r => size l + size r + 1

def twice (n : Nat := 0) : Nat := n + n

def slow (n : Nat) : Nat → Nat
  | 0 => twice n
  | m + 1 => slow n m
termination_by m => m

end Stp.Sample
`;
const definitions = new Definitions([SOURCE]);
const under = (statement: string, header: string | null = 'import Stp\nopen Stp.Sample', bound: string[] = []) =>
  definitions.under(header, statement, new Set(bound));

describe('definitions', () => {
  it('are cut into what stands before their equations and the equations', () => {
    const [slow] = under('theorem t (n : Nat) : slow n n = n');
    expect(slow).toMatchObject({
      name: 'Stp.Sample.slow',
      written: 'slow',
      kind: 'function',
      signature: '(n : Nat) : Nat → Nat',
      equations: ['0 => twice n', 'm + 1 => slow n m'],
    });
    const [twice] = under('theorem t : twice = twice');
    expect(twice).toMatchObject({ signature: '(n : Nat := 0) : Nat', equations: ['=> n + n'] });
    const [tree] = under('theorem t (t : Tree Nat) : t = t');
    expect(tree).toMatchObject({ kind: 'inductive', signature: '(α : Type)', constructors: ['leaf', 'node'] });
  });

  it('come nearest first, each once, with what they stand on themselves', () => {
    const distances = under('theorem t (t : Tree Nat) : slow t.size t.size = 0 ∧ Tree.size t = 0').map((one) => [
      one.written,
      one.distance,
    ]);
    expect(distances).toEqual([
      ['Tree', 0],
      ['slow', 0],
      ['Tree.size', 0],
      ['twice', 1],
    ]);
  });

  it('are found under what the header opens, and not where the statement binds the name', () => {
    expect(under('theorem t : slow 0 = slow 0', null)).toEqual([]);
    expect(under('theorem t : Sample.slow 0 = 0', 'open Stp').map(({ written }) => written)[0]).toBe('Sample.slow');
    expect(under('theorem t (slow : Nat) : slow = 0', undefined, ['slow'])).toEqual([]);
  });

  it('of the repository are there for every problem that names a function', async () => {
    const sources = repositorySources();
    const known = await sources.definitions();
    for (const set of ['isaplanner', 'tip2015'])
      for await (const { header, statement } of sources.problemSet(set))
        expect([statement, known.under(header, statement, new Set()).length > 0]).toEqual([statement, true]);
  });
});

describe('definitions of a header', () => {
  const HEADER = 'import Stp\n\nopen Stp.Sample\n\ndef twofold (n : Nat) := slow n n\nabbrev answer : Nat := twofold 2';
  const slotKeyOf = (header: string, statement: string) => slotKey(statement, under(statement, header));

  it('are what a statement stands on, before those of the library, with what these stand on', () => {
    const found = under('theorem t (t : Tree Nat) : t.size = answer', HEADER);
    expect(found.map(({ name, written, distance }) => [name, written, distance])).toEqual([
      ['Stp.Sample.Tree', 'Tree', 0],
      ['answer', 'answer', 0],
      ['twofold', 'twofold', 1],
      ['Stp.Sample.slow', 'slow', 2],
      ['Stp.Sample.twice', 'twice', 3],
    ]);
    expect(found[1]).toMatchObject({ kind: 'function', signature: ': Nat', equations: ['=> twofold 2'] });
    expect(under('theorem t : answer = 2').map(({ name }) => name)).toEqual([]);
  });

  it('are slots as those of the library are: another name is the same to a prover, another type is not', () => {
    const key = slotKeyOf(HEADER, 'theorem a : answer = 4');
    const renamed = HEADER.replace('answer', 'reply');
    expect(slotKeyOf(renamed, 'theorem a : reply = 4')).toBe(key);
    expect(slotKeyOf(HEADER.replace('answer : Nat', 'answer : Int'), 'theorem a : answer = 4')).not.toBe(key);
    expect(slotKeyOf('import Stp', 'theorem a : answer = 4')).not.toBe(key);
  });
});
