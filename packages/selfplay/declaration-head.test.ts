/** A renamed statement is the same statement, also where its name has universes or parts in guillemets. */

import { statementId } from '@stp/config/ids';
import { normaliseStatement } from '@stp/config/testing';
import { theoremText } from '@stp/datasets';
import { describe, expect, it } from 'vitest';
import { statementKey } from './dedupe.ts';
import { displayStatement } from './prompts.ts';
import { readSignature } from './statement-signature.ts';
import { statementSymbols } from './statement-symbols.ts';

const REST = ' (α : Type u) (a : α) : a = a';
const NAMES: readonly (readonly [head: string, name: string])[] = [
  ['foo', 'foo'],
  ["Foo.bar'", "Foo.bar'"],
  ['foo.{u}', 'foo'],
  ['Foo.bar.{u, v}', 'Foo.bar'],
  ['foo.{u v}', 'foo'],
  ['«a b»', '«a b»'],
  ['Foo.«a (b) : c».bar.{u}', 'Foo.«a (b) : c».bar'],
  ['«∀ x, x = x»', '«∀ x, x = x»'],
];

describe.each(NAMES)('theorem %s', (head, name) => {
  const statement = `theorem ${head}${REST}`;
  const plain = `theorem plain${REST}`;

  it('is, without its name, the same as any other', () => {
    expect(normaliseStatement(statement)).toBe(`theorem${REST}`);
    expect(normaliseStatement(`lemma  ${head}\n ${REST}`)).toBe(`theorem${REST}`);
    expect(statementId(null, statement)).toBe(statementId(null, plain));
    expect(statementKey(null, statement)).toBe(statementKey(null, plain));
    expect(displayStatement(statement)).toBe(REST.trim());
    expect(statementSymbols(statement)).toEqual(statementSymbols(plain));
    expect(readSignature(statement)).toEqual(readSignature(plain));
  });

  it('has its whole name', () => {
    expect(theoremText(`${statement} := by sorry`)).toEqual({ name, statement });
  });
});

it('statements that differ behind the name stay apart', () => {
  const ids = [
    'theorem a.{u} : True',
    'theorem a.{u} {u : Nat} : True',
    'theorem «a» (b : Nat) : True',
    'theorem a : False',
  ];
  expect(new Set(ids.map((statement) => statementId(null, statement))).size).toBe(ids.length);
});

it('what binds right behind the name is no part of it', () => {
  expect(normaliseStatement('theorem a{n : Nat} : n = n')).toBe('theorem{n : Nat} : n = n');
  expect(normaliseStatement('theorem a: True')).toBe('theorem: True');
});
