/** Reports Lean's errors to a model in the words of its format. */
import type { PromptFormat, RevisionFormat } from '@stp/config';
import type { LeanMessage } from '@stp/config/records';
import { indent } from './declarations.ts';
import { fill } from './fill.ts';

/**
 * Number of lines before the error in a `marked` snippet, and around it in a `numbered` one, as in the formats'
 * sources.
 */
const MARKED_BEFORE = 4;
const NUMBERED_AROUND = 2;
/** Columns by which a proof is indented below its statement. */
const INDENTATION = 2;

export interface FailedProof {
  /** `theorem NAME BINDERS : TYPE`. */
  readonly statement: string;
  readonly proof: string;
  /** Lean's messages; lines count from the proof's first line. */
  readonly messages: readonly LeanMessage[];
}

/**
 * Returns the next user message.
 *
 * @param round number of the answer that failed, from 0
 */
export function revisionPrompt(format: PromptFormat, failed: FailedProof, round: number): string {
  const revision = format.revision!;
  const code = `${failed.statement} := by\n${indent(failed.proof)}`.split('\n');
  const proofLine = failed.statement.split('\n').length;
  const errors = failed.messages
    .filter(({ severity }) => severity === 'error')
    .slice(0, revision.errorsMax)
    .map(({ line, column, text }, index) => {
      const at = Math.min(Math.max(1, proofLine + line), code.length);
      return fill(revision.error, {
        number: String(index + 1),
        line: String(at),
        column: String(column + INDENTATION),
        code: SNIPPETS[revision.snippet](code, at - 1, column + INDENTATION),
        message: text,
      });
    });
  return fill(revision.prompt, { round: String(round), errors: errors.join('') });
}

/** `at` counts from 0. */
const SNIPPETS: Record<RevisionFormat['snippet'], (code: readonly string[], at: number, column: number) => string> = {
  // Lean's messages have no end here, so the mark goes to the end of the line.
  marked: (code, at, column) =>
    [
      ...code.slice(Math.max(0, at - MARKED_BEFORE), at),
      `${code[at]!.slice(0, column)}<error>${code[at]!.slice(column)}</error>`,
    ].join('\n'),
  numbered: (code, at) =>
    code
      .map((line, index) => `${String(index + 1).padStart(3, '0')}${index === at ? ' >' : '  '}| ${line}`)
      .slice(Math.max(0, at - NUMBERED_AROUND), at + NUMBERED_AROUND + 1)
      .join('\n'),
};
