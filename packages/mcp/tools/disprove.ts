/**
 * `disprove`: looks for a counterexample among small values. Lean tries them; the refutation that it finds is then judged like any
 * other proof, against the statement's negation.
 */

import { type BinderTerms, statementTerms } from '@stp/lean-explore';
import { statementPieces, typeColon } from '@stp/lean-text';
import { LIBRARY_HEADER, screenStatement } from '@stp/lean-verifier';
import { z } from 'zod';
import { judgementOf, judgementOutput } from '../proof-output.ts';
import { timeoutSeconds, tool } from '../tool.ts';
import type { LeanBench, ToolCall } from '../workbench.ts';
import { statementInput } from './verify-proof.ts';

/** Assignments of values that are tried. */
const ASSIGNMENTS_MAX = 256;
/** Of one turn of Lean. */
const TRIED_AT_ONCE = 64;
const TURN_MS = 20_000;
/** What closes a false instance, and proves the hypotheses. */
const CLOSERS = ['decide', 'decide +kernel', 'simp'] as const;
const NAME = 'stp_refuted';
/** A universe of a type: a counterexample at the lowest one refutes the statement at all. */
const UNIVERSE = /\b(Type|Sort)\s*(?:\*|_|[a-z][\w']*|\([^()]*\))/gu;

const OUTER_BINDERS = /\b(?:variable|include|autoImplicit)\b/u;

const value = z.object({ name: z.string(), value: z.string() });

export const disprove = tool({
  name: 'disprove',
  title: 'Disprove a statement',
  description:
    'Looks for a counterexample among small values of the statement’s variables (numbers, lists, your own inductive types). A counterexample is confirmed: Lean and the second kernel accept a proof of the negation. Finding none says nothing.',
  input: { ...statementInput, timeout_seconds: timeoutSeconds },
  output: {
    verdict: z.enum(['disproved', 'unknown']),
    words: z.string().describe('the counterexample, or why there is none'),
    values: z.array(value).describe('a value for each variable'),
    term: z.string().nullable().describe('a Lean term of type False, where h is a proof of the statement'),
    refutation: z
      .object({ header: z.string(), statement: z.string(), proof: z.string(), judgement: z.object(judgementOutput) })
      .nullable()
      .describe('the negation with its proof, as it was judged'),
    tried: z.number().describe('assignments of values that were tried'),
  },
  seconds: 120,
  async run({ header, statement }, { certificates, withLean }, call) {
    const unknown = (words: string, tried = 0) => ({
      ...{ verdict: 'unknown' as const, words, values: [], term: null, refutation: null, tried },
    });
    // Lean would put these binders outside the negation.
    if (OUTER_BINDERS.test(header)) return unknown('the header binds variables: write them into the statement');
    const negated = negation(statement);
    if ('problem' in negated) return unknown(negated.problem);
    return withLean(call, async (lean) => {
      call.tell('reading the statement');
      const [read] = await statementTerms([{ header, statement }], contextTask(lean, call));
      if (read!.binders === null) return unknown(read!.reason);
      const { binders } = read!;
      const assignments = assignmentsOf(binders);
      for (const closer of CLOSERS) {
        const terms = assignments.map((values) => refutingTerm(binders, values, closer));
        const found = await firstRefuting(`${header}\n\n${negated.statement} := by\n  `, terms, lean, call);
        if (found === null) continue;
        const texts = { header, statement: negated.statement, proof: `  exact fun h => ${terms[found]!}` };
        call.tell('judging the refutation');
        const [result] = await lean.verifier.check([{ id: 'refutation', ...texts }], { signal: call.signal });
        const { judgement } = judgementOf(texts, result!, certificates);
        if (judgement.verdict !== 'proved')
          return unknown(`a refutation was found and not accepted: ${judgement.message}`, assignments.length);
        const values = named(binders, assignments[found]!);
        return {
          verdict: 'disproved' as const,
          words: inWords(values, binders),
          values,
          term: terms[found]!,
          refutation: { ...texts, judgement },
          tried: found + 1,
        };
      }
      const some = assignments.length === 1 ? '1 assignment' : `${assignments.length} assignments`;
      return unknown(
        `no counterexample among ${some} of small values; this says nothing about larger ones`,
        assignments.length,
      );
    });
  },
});

/** The theorem that the statement is false. Its own name is no part of it. */
function negation(statement: string): { readonly statement: string } | { readonly problem: string } {
  const screened = screenStatement(statement);
  if (!screened.accepted) return { problem: screened.refusal.reason };
  const { signature } = screened;
  const { pieces, balanced } = statementPieces(signature);
  const colon = typeColon(pieces);
  if (!balanced || colon < 0) return { problem: 'the statement has no colon between its binders and its type' };
  const at = pieces[colon]!.at;
  const binders = signature.slice(0, at).trim().replaceAll(UNIVERSE, '$1');
  const type = signature
    .slice(at + 1)
    .trim()
    .replaceAll(UNIVERSE, '$1');
  return { statement: `theorem ${NAME} : ¬ (${binders === '' ? type : `∀ ${binders}, ${type}`})` };
}

function contextTask(
  { environment, sandbox, scratchDirectory, runMark, memoryBytesMax, indexFolder }: LeanBench,
  { signal }: ToolCall,
) {
  const place = { environment, workingDirectory: scratchDirectory, runMark, sandbox };
  return {
    ...{ place, libraryHeader: LIBRARY_HEADER, scratchDirectory, memoryBytesMax, indexFolder, signal },
    source: () => null,
  };
}

/** Values by binder, small ones first; all of them if they are few, and a fixed choice otherwise. */
function assignmentsOf(binders: readonly BinderTerms[]): readonly (readonly string[])[] {
  const choices = binders.map(({ terms }) => (terms.length === 0 ? [''] : terms));
  const all = choices.reduce((count, terms) => count * terms.length, 1);
  const assignments = new Map<string, { values: string[]; size: number }>();
  const step = Math.max(1, Math.floor(all / ASSIGNMENTS_MAX));
  // An odd stride visits all digits of the mixed radix.
  for (let visited = 0, index = 0; visited < Math.min(all, ASSIGNMENTS_MAX); visited++, index += step) {
    let rest = index % all;
    let size = 0;
    const values = choices.map((terms) => {
      const digit = rest % terms.length;
      rest = Math.floor(rest / terms.length);
      size += digit;
      return terms[digit]!;
    });
    assignments.set(values.join('\n'), { values, size });
  }
  return [...assignments.values()].sort((a, b) => a.size - b.size).map(({ values }) => values);
}

/** `h` at the values, against a proof that it is false there. */
function refutingTerm(binders: readonly BinderTerms[], values: readonly string[], closer: string): string {
  const given = binders.map(({ kind }, index) => (kind === 'hypothesis' ? `(by ${closer})` : values[index]!));
  return `absurd (@h ${given.join(' ')}) (by ${closer})`.replace('@h )', 'h)');
}

/** The place of the first term that refutes; all are tried by Lean. */
async function firstRefuting(
  above: string,
  terms: readonly string[],
  { places }: LeanBench,
  call: ToolCall,
): Promise<number | null> {
  const place = places.pick(above);
  const opened = await place.turn(() => place.open({ deadlineMs: TURN_MS }), call.signal);
  if (opened.kind === 'invalid') return null;
  for (let from = 0; from < terms.length && !call.late.aborted; from += TRIED_AT_ONCE) {
    const some = terms.slice(from, from + TRIED_AT_ONCE).map((term) => `exact fun h => ${term}`);
    const { index } = await place.turn(() => opened.state.firstClosing(some, { deadlineMs: TURN_MS }), call.signal);
    call.tell(`${Math.min(from + TRIED_AT_ONCE, terms.length)} of ${terms.length} assignments`);
    if (index !== null) return from + index;
  }
  return null;
}

function named(binders: readonly BinderTerms[], values: readonly string[]) {
  return binders.flatMap(({ name, kind }, index) =>
    kind === 'value' || kind === 'type' ? [{ name: name ?? `(binder ${index + 1})`, value: values[index]! }] : [],
  );
}

function inWords(values: readonly { name: string; value: string }[], binders: readonly BinderTerms[]): string {
  if (values.length === 0) return 'The statement is false.';
  const at = values.map(({ name, value: its }) => `${name} = ${its}`).join(', ');
  const holds = binders.some(({ kind }) => kind === 'hypothesis') ? ' the hypotheses hold and' : '';
  return `The statement fails for ${at}:${holds === '' ? ' it is false there' : `${holds} the conclusion is false`}.`;
}
