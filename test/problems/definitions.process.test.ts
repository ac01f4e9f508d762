/** Every definition of the TIP sets has the benchmark's values: the SMT-LIB source, run here, against Lean. ~20 s. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLines } from '@stp/base/files';
import { PROBLEMS_DIRECTORY, parseSExpressions, readVocabulary, type Vocabulary } from '@stp/datasets/testing';
import { errorsOf, problemEnvironment, runSnippets, type Snippet } from '@stp/lean-explore/testing';
import type { LeanEnvironment } from '@stp/lean-verifier';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Definition, type Program, readProgram } from './tip/evaluator.ts';
import { leanType, leanValue, type SmallValue, smallValues } from './tip/small-values.ts';

/** Cases a function and source text; arguments are taken from up to this many values each. */
const CASES_MAX = 20;
const VALUES_MAX = 12;

/** Fractional parts of its multiples are spread evenly, without a period that a column's length could share. */
const GOLDEN_RATIO = 0.618_033_988_749_895;

/** Spread over the product of the arguments' values, so that every argument varies. */
function casesOf(columns: readonly (readonly SmallValue[])[]): readonly (readonly SmallValue[])[] {
  const total = columns.reduce((count, column) => count * column.length, 1);
  const indices =
    total <= CASES_MAX
      ? Array.from({ length: total }, (_, index) => index)
      : Array.from({ length: CASES_MAX }, (_, index) => Math.floor(total * ((index * GOLDEN_RATIO) % 1)));
  return indices.map((index) => {
    let rest = index;
    return columns.map((column) => {
      const value = column[rest % column.length]!;
      rest = Math.floor(rest / column.length);
      return value;
    });
  });
}

function examples(definition: Definition, program: Program, vocabulary: Vocabulary): readonly string[] {
  const { datatypes } = program;
  const columns = definition.parameters.map(([, type]) => smallValues(type, datatypes, vocabulary, VALUES_MAX));
  const name = vocabulary.terms.get(definition.name)!;
  return casesOf(columns).map((values) => {
    const result = program.call(
      definition.name,
      values.map(({ value }) => value),
    );
    const expected = leanValue(result, definition.result, datatypes, vocabulary);
    return `example : (${[name, ...values.map(({ lean }) => lean)].join(' ')} : ${leanType(definition.result, vocabulary)}) = ${expected} := by decide +kernel`;
  });
}

describe.each(['isaplanner', 'tip2015'])('definitions of %s', (set) => {
  const directory = join(PROBLEMS_DIRECTORY, set);
  const snippets = new Map<string, Snippet>();
  const covered = new Set<string>();
  let header = '';
  let environment: LeanEnvironment;

  beforeAll(async () => {
    environment = await problemEnvironment();
    const vocabularyOf = await readVocabulary(directory);
    for await (const { text } of readLines(join(directory, 'source.jsonl'))) {
      const row = JSON.parse(text) as { name: string; text: string };
      const vocabulary = vocabularyOf(row.name);
      const program = readProgram(parseSExpressions(row.text, row.name));
      for (const definition of program.definitions.values()) {
        const lean = vocabulary.terms.get(definition.name);
        if (lean === undefined) throw new Error(`${row.name}: ${definition.name} has no Lean name`);
        if (lean === 'and') continue;
        covered.add(lean);
        for (const example of examples(definition, program, vocabulary)) {
          snippets.set(example, { name: `${row.name} ${definition.name}: ${example}`, text: example });
        }
      }
    }
    const module = `Stp.Problems.${set.charAt(0).toUpperCase()}${set.slice(1)}`;
    header = `import ${module}\nopen ${module}`;
  }, 600_000);

  it('have the values the benchmark says', { tags: ['slow'] }, async () => {
    expect(snippets.size).toBeGreaterThan(300);
    expect(errorsOf(await runSnippets(environment, header, [...snippets.values()]))).toEqual([]);
  });

  it('are all in the benchmark, but for helpers', async () => {
    const source = await readFile(join(directory, 'Definitions.lean'), 'utf8');
    const defined = [...source.matchAll(/^def ([\w.]+)/gmu)].map((match) => match[1]!);
    expect(defined.filter((name) => !covered.has(name))).toEqual(set === 'tip2015' ? ['Token.isEsc'] : []);
  });
});
