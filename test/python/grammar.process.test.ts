/** Grammars by type for model servers, read by xgrammar: it takes the equations that exploration finds, and no others. Some seconds. */

import { typedGrammarText } from '@stp/language-model/testing';
import { boundNames, namedTypedForm } from '@stp/selfplay';
import { expect, it } from 'vitest';
import { repositorySources } from '../../workers/sources.ts';
import { runPython, skipsPython } from './python.ts';

const SIGNATURES_MAX = 40;

it.skipIf(skipsPython('grammars, with xgrammar'))('are read by xgrammar as they are meant', async () => {
  const sources = repositorySources();
  const definitions = await sources.definitions();
  const theorems = new Map((await sources.libraryTheorems()).map((theorem) => [theorem.name, theorem]));
  const rows = (await sources.exploredEquations()).slice(0, SIGNATURES_MAX).flatMap((row) => {
    const { header, statement } = theorems.get(row.theorems[0]!)!;
    const shown = definitions.under(header, statement, boundNames(statement));
    const form = namedTypedForm(statement, row.signature, shown, (prompt) => ({ prompt }));
    if (form === null) return [];
    const right = row.equations.flatMap(({ words }) => form.write(words) ?? []);
    // Without its last letter, with one term too many, with two signs: no equation any more.
    const wrong = right.flatMap((text) => [text.slice(0, -1), `${text} ${text}`, text.replace('=', '= =')]);
    return [{ grammar: typedGrammarText(form.grammar)!, texts: [...right, ...wrong], right: right.length }];
  });
  const accepted = (await runPython('grammar.py', rows)) as boolean[][];
  for (const [index, { texts, right }] of rows.entries())
    expect(accepted[index]).toEqual(texts.map((_, at) => at < right));
  expect(rows.reduce((sum, { right }) => sum + right, 0)).toBeGreaterThan(500);
});
