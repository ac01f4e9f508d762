/**
 * Small instances of the statements hold: a mistranslation that makes a statement false is caught here. For the TIP sets
 * the benchmark's own goal is run beside ours, which also shows that its hypotheses are met somewhere. ~25 s.
 */
import { join } from 'node:path';
import { readLines } from '@stp/base/files';
import { PROBLEMS_DIRECTORY, parseSExpressions, readVocabulary, type SExpression } from '@stp/datasets/testing';
import { errorsOf, problemEnvironment, runSnippets, type Snippet } from '@stp/lean-explore/testing';
import type { LeanEnvironment } from '@stp/lean-verifier';
import { beforeAll, describe, expect, it } from 'vitest';
import { problemSet } from './problem-set.ts';
import { statementParts } from './statement-parts.ts';
import { type Program, readGoal, readProgram, type Value } from './tip/evaluator.ts';
import { leanType, type SmallValue, smallValues } from './tip/small-values.ts';

/** Instances of one statement; the values each variable gets follow from it. */
const INSTANCES_MAX = 250;
const NATURALS = '[0, 1, 2, 3, 4]';
/** The benchmark computes powers in unary: 3 ^ 9 is too deep. */
const SMALL_POWER_VALUES = 3;

let environment: LeanEnvironment;
beforeAll(async () => {
  environment = await problemEnvironment();
}, 600_000);

function instanceOf(parameters: readonly (readonly [string, string, readonly string[]])[], type: string): string {
  const quantifiers = parameters.map(
    ([name, leanName, values]) => `∀ ${name} ∈ ([${values.join(', ')}] : List (${leanName})), `,
  );
  return `abbrev α := Nat\nabbrev β := Nat\nabbrev γ := Nat\nexample : ${quantifiers.join('')}${type} := by decide +kernel`;
}

/** How many instances have true hypotheses, and whether all have a true conclusion. */
function runGoal(program: Program, body: SExpression, columns: readonly (readonly [string, readonly SmallValue[]])[]) {
  let met = 0;
  let holds = true;
  const visit = (index: number, scope: ReadonlyMap<string, Value>) => {
    const column = columns[index];
    if (column === undefined) {
      const [hypotheses, conclusion] = cut(body);
      if (!hypotheses.every((hypothesis) => program.evaluate(hypothesis, scope) === true)) return;
      met += 1;
      holds &&= program.evaluate(conclusion, scope) === true;
      return;
    }
    for (const { value } of column[1]) visit(index + 1, new Map([...scope, [column[0], value]]));
  };
  visit(0, new Map());
  return { met, holds };
}

function cut(body: SExpression): readonly [readonly SExpression[], SExpression] {
  if (!Array.isArray(body) || body[0] !== '=>') return [[], body];
  const [hypotheses, conclusion] = cut(body[2] as SExpression);
  return [[body[1] as SExpression, ...hypotheses], conclusion];
}

describe.each(['isaplanner', 'tip2015'])('small instances of %s', (set) => {
  it('hold in Lean and in the benchmark, with hypotheses that can be met', { tags: ['slow'] }, async () => {
    const directory = join(PROBLEMS_DIRECTORY, set);
    const sources = new Map<string, string>();
    for await (const { text } of readLines(join(directory, 'source.jsonl'))) {
      const row = JSON.parse(text) as { name: string; text: string };
      sources.set(row.name, row.text);
    }
    const vocabularyOf = await readVocabulary(directory);
    const statements = await problemSet(directory);
    const benchmark: string[] = [];
    const snippets: Snippet[] = statements.map(({ name, statement }) => {
      const vocabulary = vocabularyOf(name);
      const forms = parseSExpressions(sources.get(name)!, name);
      const program = readProgram(forms);
      const { parameters, body } = readGoal(forms);
      const share = Math.max(2, Math.floor(INSTANCES_MAX ** (1 / parameters.length)));
      const limit = name.startsWith('nat_pow') ? Math.min(share, SMALL_POWER_VALUES) : share;
      const columns = parameters.map(
        ([parameter, type]) => [parameter, smallValues(type, program.datatypes, vocabulary, limit), type] as const,
      );
      const { met, holds } = runGoal(
        program,
        body,
        columns.map(([parameter, values]) => [parameter, values]),
      );
      if (!holds || met === 0) benchmark.push(`${name}: ${holds ? 'no instance meets the hypotheses' : 'false'}`);
      return {
        name,
        text: instanceOf(
          columns.map(([parameter, values, type]) => [
            parameter,
            leanType(type, vocabulary),
            values.map(({ lean }) => lean),
          ]),
          statementParts(statement).type,
        ),
      };
    });
    expect(benchmark).toEqual([]);
    const module = `Stp.Problems.${set.charAt(0).toUpperCase()}${set.slice(1)}`;
    const results = await runSnippets(environment, `import ${module}\nopen ${module}`, snippets);
    expect(errorsOf(results)).toEqual([]);
  });
});

it('small instances of the Natural Number Game hold', { tags: ['slow'] }, async () => {
  const statements = await problemSet(join(PROBLEMS_DIRECTORY, 'nng'));
  const snippets = statements.map(({ name, statement }) => {
    const { binders, type } = statementParts(statement);
    const variables: [string, string, string[]][] = [];
    const hypotheses: string[] = [];
    for (const binder of binders) {
      const [, names, binderType] = /^\(([^:]+) : (.*)\)$/u.exec(binder)!;
      if (binderType !== 'Nat') hypotheses.push(`(${binderType}) → `);
      else for (const own of names!.trim().split(/\s+/u)) variables.push([own, 'Nat', [NATURALS.slice(1, -1)]]);
    }
    return {
      name,
      text: instanceOf(
        variables.slice(0, 4),
        `${variables
          .slice(4)
          .map(([own]) => `∀ ${own} ∈ [0, 1], `)
          .join('')}${hypotheses.join('')}${type}`,
      ),
    };
  });
  const undecidable = ['eq_succ_of_ne_zero'];
  const results = await runSnippets(
    environment,
    '',
    snippets.filter(({ name }) => !undecidable.includes(name)),
  );
  expect(errorsOf(results)).toEqual([]);
});

it('a false instance is an error', async () => {
  const results = await runSnippets(environment, '', [
    { name: 'true', text: instanceOf([['n', 'Nat', ['0', '1']]], 'n ≤ 1') },
    { name: 'false', text: instanceOf([['n', 'Nat', ['0', '1', '2']]], 'n ≤ 1') },
  ]);
  expect(results.map(({ messages }) => messages.some(({ severity }) => severity === 'error'))).toEqual([false, true]);
}, 600_000);
