/** `search_proof`: searches for a whole proof, at a position in a file or of a statement. */

import { StpError } from '@stp/base';
import { STATEMENT_CHARS_MAX } from '@stp/config/records';
import { goalsAtPosition } from '@stp/editor';
import { screenHeader, screenStatement } from '@stp/lean-verifier';
import { z } from 'zod';
import { editOutput, fileInput, findPosition, givenFile, positionInput, replaced } from '../position-input.ts';
import { judgementOf, judgementOutput } from '../proof-output.ts';
import { tool } from '../tool.ts';
import type { LeanBench, ToolCall, Workbench } from '../workbench.ts';
import { statementInput } from './verify-proof.ts';

const SECONDS_MAX = 600;
const SECONDS = 30;
/** Additional time for starting Lean, reading the file, and judging the found proof, s. */
const BESIDES_SECONDS = 240;

export const searchProof = tool({
  name: 'search_proof',
  title: 'Search for a proof',
  description:
    'Looks for tactics that close the goal: scripts, the theorems that are like it, and a best-first search over proof states. Give a position in a file, or a statement. The proof of a statement is judged as verify_proof does.',
  input: {
    ...fileInput,
    line: positionInput.line.optional(),
    column: positionInput.column,
    header: statementInput.header,
    statement: z.string().min(1).max(STATEMENT_CHARS_MAX).optional().describe(statementInput.statement.description!),
    seconds: z.number().min(1).max(SECONDS_MAX).default(SECONDS).describe('time of the search'),
  },
  output: {
    proof: z.string().nullable().describe('the tactics, one below the other; null if none were found in the time'),
    goals: z.array(z.string()).describe('the goals that it closes'),
    problem: z.string().nullable().describe('why the goal could not be opened; null if it was'),
    source: z.string().nullable().describe('what found it'),
    judgement: z.object(judgementOutput).nullable().describe('the verdict on the proof of a statement'),
    new_text: z.string().nullable().describe('at a position in a file: the text that replaces `replace`'),
    replace: editOutput.replace.nullable(),
  },
  limitSeconds: ({ seconds }) => seconds + BESIDES_SECONDS,
  async run({ statement, header, seconds, line, column, ...file }, { folder, certificates, withLean }, call) {
    if ((statement === undefined) === (file.path === undefined && file.text === undefined))
      throw new StpError('STP1002', 'a search is for a position in a file, or for a statement', 'Give one of the two.');
    if (statement !== undefined)
      return withLean(call, (lean) => ofStatement({ header, statement, seconds }, lean, certificates, call));
    if (line === undefined) throw new StpError('STP1002', 'the position has no line', 'Give line, from 1.');
    const { text } = await givenFile(folder, file);
    return withLean(call, async (lean) => {
      const { target } = await findPosition(text, { line, column }, (above) =>
        goalsAtPosition(lean.positions, above, call.signal),
      );
      const { proof, ...found } = await search(target.context, target.prefix, seconds, lean, call);
      const replace = replaced(text, target);
      return { ...found, proof, judgement: null, new_text: proof === null ? null : target.newText(proof), replace };
    });
  },
});

async function ofStatement(
  { header, statement, seconds }: { header: string; statement: string; seconds: number },
  lean: LeanBench,
  certificates: Workbench['certificates'],
  call: ToolCall,
) {
  const above = screenHeader(header);
  const stated = screenStatement(statement);
  const refused = above.accepted ? (stated.accepted ? null : stated.refusal.reason) : above.reason;
  const none = { new_text: null, replace: null };
  if (refused !== null) return { proof: null, goals: [], problem: refused, source: null, judgement: null, ...none };
  const found = await search(`${header}\n\n${statement} := by\n  `, '', seconds, lean, call);
  if (found.proof === null) return { ...found, judgement: null, ...none };
  const texts = { header, statement, proof: indented(found.proof) };
  call.tell('judging the proof');
  const [result] = await lean.verifier.check([{ id: 'found', ...texts }], { signal: call.signal });
  return { ...found, proof: texts.proof, judgement: judgementOf(texts, result!, certificates).judgement, ...none };
}

async function search(context: string, prefix: string, seconds: number, { suggester }: LeanBench, call: ToolCall) {
  const request = { tacticState: null, prefix, context, searchSeconds: seconds, answerSeconds: seconds, all: false };
  const { goals, unchecked, suggestions } = await suggester.suggest(request, call.signal, (event) => {
    if (event.kind === 'search') call.tell(`${event.expansions} states`);
    if (event.kind === 'suggestion') call.tell(`${event.suggestion.class}: ${event.suggestion.text.split('\n')[0]}`);
  });
  const best = suggestions.find((one) => one.class === 'done' && one.checked);
  return { proof: best?.text ?? null, goals: [...goals], problem: unchecked, source: best?.source ?? null };
}

const indented = (tactics: string): string => tactics.replaceAll(/^(?=.)/gmu, '  ');
