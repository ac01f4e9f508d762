/** Asks for the ranks of several proofs of one problem. Equal proofs share a rank. The answer's form is LLMProofs'. */
import { z } from 'zod';
import { quoteProblem } from '../quotes.ts';
import { asking, inWords, issueOf, jsonSchemaOf, type Problem, type Question, type Unusable } from './question.ts';

const form = z.strictObject({
  placements: z.array(z.strictObject({ label: z.string(), rank: z.int(), reason: z.string(), quote: z.string() })),
});
const schema = jsonSchemaOf(form);
type Placement = z.infer<typeof form>['placements'][number];

export interface RankAnswer {
  /** Rank of each proof, in order; smaller is better, equal numbers are ties. */
  readonly ranks: readonly number[];
}

/** A, B, C and so on. */
export const labelOf = (at: number): string => String.fromCharCode('A'.charCodeAt(0) + at);

export function rankQuestion(problem: Problem, proofs: readonly string[]): Question<RankAnswer> {
  const labels = proofs.map((_, at) => labelOf(at));
  const instructions = [
    `Rank the proofs ${labels.join(', ')} of the problem: rank 1 is the best. Proofs that are equally good, or equally wrong, have the same rank.`,
    problem.rubric === null ? '' : 'Follow the rubric; it says what counts how much.',
    problem.reference === null ? '' : 'The reference is one right solution. Another right way is as good.',
    'Judge rigour and completeness, not length or style. The order in which the proofs stand says nothing.',
    'Give each label once, with your reason and the exact words of that proof that decide it (quote).',
    inWords(schema),
  ];
  const parts = proofs.map((proof, at): [string, string] => [`proof ${labels[at]}`, proof]);
  return {
    name: 'ranking',
    messages: asking(problem, parts, instructions),
    schema,
    read(json) {
      const parsed = form.safeParse(json);
      if (!parsed.success) return { kind: 'malformed', detail: issueOf(parsed.error) };
      const { placements } = parsed.data;
      const problemOfLabels = labelProblem(labels, placements);
      if (problemOfLabels !== null) return problemOfLabels;
      const ranked = labels.map((label) => placements.find((one) => one.label === label)!);
      for (const [at, { label, rank, quote }] of ranked.entries()) {
        if (rank < 1 || rank > labels.length)
          return { kind: 'off-scale', detail: `${label} has rank ${rank} of ${labels.length}` };
        const unquoted = quoteProblem(quote, proofs[at]!);
        if (unquoted !== null) return { kind: 'not-quoted', detail: `${label}: ${unquoted}` };
      }
      return { ranks: ranked.map(({ rank }) => rank) };
    },
  };
}

function labelProblem(labels: readonly string[], placements: readonly Placement[]): Unusable | null {
  const named = placements.map(({ label }) => label);
  const unknown = named.find((label) => !labels.includes(label));
  if (unknown !== undefined) return { kind: 'label-unknown', detail: `there is no proof ${unknown.slice(0, 40)}` };
  const twice = named.find((label, at) => named.indexOf(label) < at);
  if (twice !== undefined) return { kind: 'label-twice', detail: `proof ${twice} has two places` };
  const missing = labels.find((label) => !named.includes(label));
  if (missing !== undefined) return { kind: 'label-missing', detail: `proof ${missing} has no place` };
  return null;
}
