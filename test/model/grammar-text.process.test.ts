/**
 * Tests grammars by type as text for model servers: their sentences are well typed, read back, and include the explored
 * equations.
 */

import type { TypedGrammar } from '@stp/config/records';
import { EQUALS, IMPLIES } from '@stp/config/words';
import { readManifest } from '@stp/language-model';
import { completionOf, fakeServer, sendJson, typedGrammarText } from '@stp/language-model/testing';
import { checkpointDirectory, openRemote } from '@stp/language-model/testing-hooks';
import type { LibraryEquations } from '@stp/lean-explore';
import { boundNames, namedTypedForm, type Random, randomStream, type TypedForm } from '@stp/selfplay';
import { beforeAll, describe, expect, it } from 'vitest';
import { repositorySources } from '../../workers/sources.ts';

const forms: { form: TypedForm; row: LibraryEquations }[] = [];
beforeAll(async () => {
  const sources = repositorySources();
  const definitions = await sources.definitions();
  const theorems = new Map((await sources.libraryTheorems()).map((theorem) => [theorem.name, theorem]));
  for (const row of await sources.exploredEquations()) {
    const { header, statement } = theorems.get(row.theorems[0]!)!;
    const shown = definitions.under(header, statement, boundNames(statement));
    const form = namedTypedForm(statement, row.signature, shown, (prompt) => ({ prompt }));
    if (form !== null) forms.push({ form, row });
  }
});

/** The rules of a grammar's text: alternatives of literals and names. */
function rulesOf(text: string): Map<string, string[][]> {
  const lines = text.trimEnd().split('\n');
  return new Map(
    lines.map((line) => {
      const [, name, body] = /^([a-z0-9]+) ::= (.+)$/u.exec(line)!;
      const items = body!.match(/"(?:[^"\\]|\\.)*"|[a-z0-9]+|\|/gu)!;
      const alternatives: string[][] = [[]];
      for (const item of items) {
        if (item === '|') alternatives.push([]);
        else alternatives.at(-1)!.push(item);
      }
      return [name!, alternatives];
    }),
  );
}

function derive(rules: ReadonlyMap<string, string[][]>, random: Random, name = 'root'): string {
  const alternatives = rules.get(name)!;
  const items = alternatives[Math.floor(random.next() * alternatives.length)]!;
  return items.map((item) => (item.startsWith('"') ? JSON.parse(item) : derive(rules, random, item))).join('');
}

/** The type of the term at the front of prefix tokens, which are taken away. */
function typeOf(tokens: string[], { symbols }: TypedGrammar, wanted: number | null): number {
  const token = tokens.shift();
  const symbol = symbols.find((one) => one.token === token && (wanted === null || one.result === wanted));
  if (symbol === undefined) throw new Error(`${token} is no term of type ${wanted}`);
  for (const type of symbol.arguments) typeOf(tokens, { symbols } as TypedGrammar, type);
  return symbol.result;
}

function expectEquations(text: string, grammar: TypedGrammar): void {
  const sides = text.split(' → ').map((part) => part.split(` ${EQUALS} `).map((side) => side.match(/[^\s()]+/gu)!));
  for (const [left, right, ...more] of sides) {
    expect(more).toEqual([]);
    typeOf(right!, grammar, typeOf(left!, grammar, null));
    expect([left, right]).toEqual([[], []]);
  }
}

describe('a grammar by type, as text', () => {
  it('derives well-typed equations alone, which read back as they were written', () => {
    expect(forms.length).toBeGreaterThan(300);
    let conditions = 0;
    for (const [index, { form }] of forms.entries()) {
      if (index % 10 > 0) continue;
      const rules = rulesOf(typedGrammarText(form.grammar)!);
      for (let n = 0; n < 20; n++) {
        const text = derive(rules, randomStream(n, 'derive', String(index)));
        const words = form.read(text)!;
        expect(form.write(words)).toBe(text);
        expectEquations(text, form.grammar);
        if (words.includes(IMPLIES)) conditions += 1;
      }
    }
    expect(conditions).toBeGreaterThan(10);
  });

  it('has the equations that exploration finds', () => {
    let written = 0;
    for (const { form, row } of forms)
      for (const { words } of row.equations) {
        const text = form.write(words);
        if (text === null) continue;
        expect(form.read(text)).toEqual(words);
        written += 1;
      }
    expect(written).toBeGreaterThan(6_000);
  });

  it('asks in words, with the definitions and the names that an answer may have', () => {
    const { form } = forms.find(({ row }) => row.theorems.includes('Stp.rev_rev')) ?? forms[0]!;
    expect(form.prompt).toMatch(/^Definitions:\n/u);
    for (const { token } of form.grammar.symbols) expect(form.prompt).toContain(token);
  });

  it('is none where no term ends, and keeps a quotation mark within its literal', () => {
    const f = { token: 'f', arguments: [0], result: 0, kind: 'function' } as const;
    const grammar = { symbols: [f], conditionType: null, tokensMax: 16 };
    expect(typedGrammarText(grammar)).toBeNull();
    const quote = { token: '"a\\', arguments: [], result: 0, kind: 'variable' } as const;
    const rules = rulesOf(typedGrammarText({ ...grammar, symbols: [f, quote] })!);
    expect(derive(rules, randomStream(1, 'quote'))).toContain('"a\\');
  });
});

describe('a model server', () => {
  it('gets the grammar with the requests that have it, and is asked for nothing that cannot be written', async () => {
    const directory = await checkpointDirectory();
    const { model } = await readManifest(directory);
    const server = await fakeServer([{ id: model }], (asked, response) => sendJson(response, 200, completionOf(asked)));
    const remote = await openRemote(server.url, directory, {});
    const [one, two] = forms.map(({ form }) => form.grammar);
    const none = { symbols: [], conditionType: null, tokensMax: 16 };
    const ask = (seed: number, grammar?: TypedGrammar) => ({
      ...{ id: `s${seed}`, prompt: 'write one', seed },
      ...(grammar === undefined ? {} : { grammar }),
    });
    const requests = [ask(0, one!), ask(1, two!), ask(2), ask(3, none)];
    const made = await remote.sample(requests, { temperature: 1, topP: 1, maxTokens: 64 });
    expect(made.map(({ text, finish }) => [text, finish])).toEqual([
      ['text 0', 'stop'],
      ['text 1', 'stop'],
      ['text 2', 'stop'],
      ['', 'length'],
    ]);
    const grammars = new Map(server.asked.map(({ body }) => [body.seed, body.structured_outputs]));
    expect(grammars).toEqual(
      new Map<number, unknown>([
        [0, { grammar: typedGrammarText(one!) }],
        [1, { grammar: typedGrammarText(two!) }],
        [2, undefined],
      ]),
    );
  });
});
