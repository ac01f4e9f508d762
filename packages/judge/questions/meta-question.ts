/** Asks whether the errors that a judge claims are real (DeepSeekMath-V2's meta-verification). */

import type { Evidence } from '@stp/config/records';
import { z } from 'zod';
import { asking, inWords, issueOf, jsonSchemaOf, type Problem, type Question } from './question.ts';

const form = z.strictObject({
  checks: z.array(z.strictObject({ error: z.int(), why: z.string(), stands: z.boolean() })),
});
const schema = jsonSchemaOf(form);

export interface MetaAnswer {
  /** Whether each claimed error is real, in order. */
  readonly stands: readonly boolean[];
}

export function metaQuestion(problem: Problem, proof: string, errors: readonly Evidence[]): Question<MetaAnswer> {
  const claims = errors.map(({ quote, says }, at) => `${at + 1}. On "${quote}": ${says}`).join('\n');
  const instructions = [
    'Another examiner claims the errors of the list in the proof. Say of each, by its number, whether the claim stands: the quoted words are wrong, or leave a gap that matters.',
    'A claim that misreads the proof, or asks for more than a complete proof needs, does not stand.',
    inWords(schema),
  ];
  return {
    name: 'meta_check',
    messages: asking(
      problem,
      [
        ['proof', proof],
        ['claimed errors', claims],
      ],
      instructions,
    ),
    schema,
    read(json) {
      const parsed = form.safeParse(json);
      if (!parsed.success) return { kind: 'malformed', detail: issueOf(parsed.error) };
      const standsOf = new Map(parsed.data.checks.map(({ error, stands }) => [error, stands]));
      const all = errors.map((_, at) => standsOf.get(at + 1));
      if (standsOf.size !== parsed.data.checks.length || standsOf.size !== errors.length || all.includes(undefined))
        return { kind: 'malformed', detail: `checks: not one for each of the ${errors.length} errors` };
      return { stands: all as boolean[] };
    },
  };
}
