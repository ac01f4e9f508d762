/** `disprove`: searches for a counterexample, and answers with a judged proof of the negation. */
import { disprove as findDisproof } from '@stp/lean-explore';
import { certificateFile, LIBRARY_HEADER } from '@stp/lean-verifier';
import { z } from 'zod';
import { namedLimit, timeoutSeconds, tool } from '../tool.ts';
import type { LeanBench, ToolCall } from '../workbench.ts';
import { statementInput } from './verify-proof.ts';

export const disprove = tool({
  name: 'disprove',
  title: 'Disprove a statement',
  description:
    'Looks for a counterexample among small values of the statement’s variables (numbers, lists, functions, your own inductive types), and tries tactics on the negation. A disproof is a proof of the exact negation that Lean and the second kernel have accepted. Finding none says nothing.',
  input: { ...statementInput, timeout_seconds: timeoutSeconds },
  output: {
    verdict: z
      .enum(['disproved', 'unknown', 'invalid', 'infra'])
      .describe('`invalid`: the statement is refused, or Lean cannot read it; `infra`: Lean could not be run'),
    words: z.string().describe('the counterexample, or why there is none'),
    values: z
      .array(z.object({ name: z.string().nullable(), value: z.string().describe('a Lean term') }))
      .describe('the values on which the statement fails; none if a tactic proved the negation as a whole'),
    negation: z.string().nullable().describe('the negation, as a statement below the same header'),
    proof: z.string().nullable().describe('the tactic block that proves the negation'),
    certificate_uri: z.string().nullable().describe('resource with the certificate of that proof'),
  },
  limitSeconds: namedLimit(300),
  async run({ header, statement }, { certificates, withLean }, call) {
    const found = await withLean(call, (lean) => {
      call.tell('trying values');
      const tools = { verifier: lean.verifier, task: contextTask(lean, call) };
      return findDisproof({ header, statement }, tools);
    });
    const { verdict, words, statement: negation } = found;
    if (found.verdict !== 'disproved')
      return { verdict, words, values: [], negation, proof: null, certificate_uri: null };
    const { proof, certificate } = found;
    const file =
      certificate === null ? null : certificateFile({ header, statement: found.statement, proof }, certificate);
    return {
      verdict,
      words,
      negation,
      proof,
      values: (found.values ?? []).map(({ name, value }) => ({ name, value })),
      certificate_uri: file === null ? null : certificates.add(file),
    };
  },
});

function contextTask(lean: LeanBench, { signal }: ToolCall) {
  const { environment, sandbox, scratchDirectory, runMark, memoryBytesMax, indexFolder } = lean;
  return {
    processContext: { environment, workingDirectory: scratchDirectory, runMark, sandbox },
    libraryHeader: LIBRARY_HEADER,
    scratchDirectory,
    memoryBytesMax,
    indexFolder,
    signal,
    source: () => null,
  };
}
