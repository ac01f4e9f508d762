/**
 * Tests samples under a grammar: every one is a well-typed equation of the allowed length, whatever a model prefers.
 */

import { StpError } from '@stp/base';
import type { GrammarSymbol, TypedGrammar } from '@stp/config/records';
import { SLOT_TOKENS } from '@stp/config/words';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEAN_TEXTS, SMALL_SHAPE, smallModel } from '../../testing/small-checkpoint.ts';
import { markersOf } from '../../tokenizer/special-tokens.ts';
import { trainTokenizer } from '../../tokenizer/train.ts';
import { Sampler } from './sampler.ts';
import { TypedTokens, TypedWriter } from './typed-writer.ts';

const TEXTS = [...LEAN_TEXTS, `<defs>${SLOT_TOKENS.join('')}`];
const tokenizer = trainTokenizer(TEXTS, { vocabularySize: 400, specialTokens: markersOf(TEXTS) });
const symbol = (token: string, kind: GrammarSymbol['kind'], result: number, ...given: number[]): GrammarSymbol => ({
  token,
  kind,
  result,
  arguments: given,
});

/** Types by number: 0 numbers, 1 lists, 2 truth values. */
const LISTS: TypedGrammar = {
  symbols: [
    symbol('<f0>', 'function', 1, 1, 1),
    symbol('<f1>', 'function', 0, 1),
    symbol('<f2>', 'function', 2, 0, 0),
    symbol('0', 'constructor', 0),
    symbol('+', 'constructor', 0, 0),
    symbol('[', 'constructor', 1),
    symbol(':', 'constructor', 1, 0, 1),
    symbol('T', 'constructor', 2),
    symbol('F', 'constructor', 2),
    symbol('<n0>', 'variable', 0),
    symbol('<n1>', 'variable', 0),
    symbol('<s0>', 'variable', 1),
    symbol('<s1>', 'variable', 1),
  ],
  conditionType: 2,
  tokensMax: 20,
};

const tokensOf = (text: string): string[] => text.match(/<[a-z]\d+>|./gsu) ?? [];

/** Parses an equation by the grammar. Returns a message if the text is no equation. */
function readEquation(grammar: TypedGrammar, text: string): string {
  const tokens = tokensOf(text);
  const used = new Set<string>();
  const term = (type: number | null): number | null => {
    const token = tokens.shift();
    const found = grammar.symbols.find(
      (one) => one.token === token && (type === null ? one.kind === 'function' : one.result === type),
    );
    if (found === undefined) return null;
    if (found.kind === 'variable') used.add(found.token);
    return found.arguments.every((its) => term(its) !== null) ? found.result : null;
  };
  const sides = (): string => {
    const type = term(null);
    if (type === null || tokens.shift() !== '=') return 'no left side';
    const onLeft = new Set(used);
    if (term(type) === null) return 'no right side';
    return [...used].every((one) => onLeft.has(one)) ? '' : 'a variable is on the right only';
  };
  const first = sides();
  if (first !== '' || tokens.length === 0) return first;
  return tokens.shift() === ';' && sides() === '' && tokens.length === 0 ? '' : 'no conclusion';
}

function write(grammar: TypedGrammar, choose: (choices: number) => number): { text: string; tokens: number } {
  const typed = new TypedTokens(grammar, tokenizer);
  const writer = new TypedWriter(typed);
  const ids: number[] = [];
  for (;;) {
    const allowed = writer.allowed();
    const id = allowed[choose(allowed.length)]!;
    ids.push(id);
    if (id === typed.end) return { text: tokenizer.decode(ids.slice(0, -1)), tokens: ids.length };
    writer.push(id);
  }
}

describe('the grammar of typed equations', () => {
  it('lets nothing else be written, and all of it ends in time', () => {
    const conditions = { seen: 0 };
    const choices = fc.infiniteStream(fc.nat(1_000_000));
    fc.assert(
      fc.property(choices, fc.integer({ min: 6, max: 32 }), (stream, tokensMax) => {
        const { text, tokens } = write({ ...LISTS, tokensMax }, (count) => stream.next().value % count);
        if (text.includes(';')) conditions.seen++;
        expect(readEquation(LISTS, text), text).toBe('');
        expect(tokens).toBeLessThanOrEqual(tokensMax);
        // Names of variables come in their order.
        expect(text.indexOf('<n1>') >= 0 && text.indexOf('<n1>') < text.indexOf('<n0>')).toBe(false);
      }),
      { numRuns: 2_000 },
    );
    expect(conditions.seen).toBeGreaterThan(10);
  });

  it('reaches what it is for', () => {
    const wanted = ['<f0><f0><s0><s1><s0>=<f0><s0><f0><s1><s0>', '<f2><n0><n1>=F;<f2><n1><n0>=T', '<f0><s0>[=<s0>'];
    for (const text of wanted) {
      const ids = [...tokensOf(text).map((token) => tokenizer.encode(token)[0]!), tokenizer.endId];
      const writer = new TypedWriter(new TypedTokens(LISTS, tokenizer));
      for (const id of ids) {
        expect(writer.allowed(), text).toContain(id);
        writer.push(id);
      }
    }
  });

  it('writes no term on both sides, unless there is no other', () => {
    const seen = new Set<string>();
    const choices = fc.infiniteStream(fc.nat(1_000_000));
    fc.assert(
      fc.property(choices, (stream) => {
        const { text, tokens } = write({ ...LISTS, tokensMax: 8 }, (count) => stream.next().value % count);
        for (const equation of text.split(';')) {
          const [left, right] = equation.split('=');
          // `[` is the only list of one token where the left side has no variables.
          if (left === right) expect([tokens, left!.includes('<s')], text).toEqual([8, false]);
          if (right!.startsWith('<f1>')) seen.add(right!);
        }
      }),
      { numRuns: 1_000 },
    );
    expect(seen.size).toBeGreaterThan(0);
    const only = [symbol('<f0>', 'function', 0)];
    expect(write({ symbols: only, conditionType: null, tokensMax: 8 }, () => 0).text).toBe('<f0>=<f0>');
  });

  it('writes nothing where no term ends', () => {
    const symbols = [symbol('<f0>', 'function', 0, 1), symbol('<c0>', 'constructor', 1, 1)];
    const endless = new TypedTokens({ symbols, conditionType: null, tokensMax: 20 }, tokenizer);
    expect(new TypedWriter(endless).allowed()).toEqual([]);
  });

  it('refuses a symbol that is no token of the model, and two that cannot be told apart', () => {
    const bad =
      (...symbols: GrammarSymbol[]) =>
      () =>
        new TypedTokens({ symbols, conditionType: null, tokensMax: 20 }, tokenizer);
    expect(bad(symbol('append', 'function', 0, 0))).toThrow(StpError);
    expect(bad(symbol('<f0>', 'function', 0, 0), symbol('<f0>', 'function', 1, 0))).toThrow('the same token');
  });
});

it('a model that has learnt nothing writes well-typed equations only, the same ones in any company', async () => {
  const vocabularySize = 400;
  const model = { ...smallModel({ ...SMALL_SHAPE, vocabularySize }), tokenizer };
  const sampler = await Sampler.open(model, 8);
  const sampling = { temperature: 1, topP: 1, maxTokens: 24 };
  const sample = async (grammars: readonly (TypedGrammar | undefined)[]) => {
    for (const [part, grammar] of grammars.entries())
      sampler.add({
        prompt: '<hard>p<easy>',
        sampling,
        samples: Array.from({ length: 20 }, (_, index) => ({ key: part * 20 + index, seed: index })),
        grammar,
      });
    const ended = new Map<number, { text: string; finish: string }>();
    while (!sampler.idle) for (const one of (await sampler.step()).ended) ended.set(one.key, one);
    return ended;
  };
  const alone = await sample([LISTS]);
  // The test samples the same prompt without a grammar, and under a grammar that allows no equation.
  const empty: TypedGrammar = { symbols: [], conditionType: null, tokensMax: 20 };
  const among = await sample([LISTS, undefined, empty, LISTS]);
  for (let key = 0; key < 20; key++) {
    expect(readEquation(LISTS, alone.get(key)!.text), alone.get(key)!.text).toBe('');
    expect(alone.get(key)!.finish).toBe('stop');
    for (const other of [key, 60 + key]) expect(among.get(other)!.text).toBe(alone.get(key)!.text);
    expect(among.get(40 + key)).toMatchObject({ text: '', finish: 'length' });
  }
  await sampler.close();
}, 60_000);

it('a model whose vocabulary lacks slots is refused, with how many and how large it is', () => {
  const without = trainTokenizer(LEAN_TEXTS, { vocabularySize: 300, specialTokens: markersOf(LEAN_TEXTS) });
  const { length } = without.vocabulary;
  expect(() => new TypedTokens(LISTS, without)).toThrow(
    `7 of its 15 tokens, such as "<f0>", are not one token of the model, which has ${length}`,
  );
});
