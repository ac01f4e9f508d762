/** `try_tactics`: runs tactics at a position in a proof, each separately. */

import { PROOF_CHARS_MAX } from '@stp/config/records';
import { goalsAtPosition, tryTactics as tryAt } from '@stp/editor';
import { z } from 'zod';
import { editOutput, findPosition, givenFile, positionInput, replaced } from '../position-input.ts';
import { namedLimit, timeoutSeconds, tool } from '../tool.ts';

const TACTICS_MAX = 64;
/** Lean's processor time limit for one tactic, ms. */
const STEP_MS = 5_000;

export const tryTactics = tool({
  name: 'try_tactics',
  title: 'Try tactics',
  description:
    'Runs each tactic on the goals at a position, by itself, and changes no file. `done` closes the goal, `valid` leaves goals, `invalid` is an error of Lean, `forbidden` is what no proof may say (sorry, axioms, the theorem itself). Lean elaborates it; check_file gives the verdict on the whole.',
  input: {
    ...positionInput,
    tactics: z.array(z.string().min(1).max(PROOF_CHARS_MAX)).min(1).max(TACTICS_MAX).describe('tactics, each a text'),
    timeout_seconds: timeoutSeconds,
  },
  output: {
    goals: z.array(z.string()).describe('goals before the tactics'),
    problem: z.string().nullable().describe('why there are none; null if there are'),
    results: z.array(
      z.object({
        tactic: z.string(),
        class: z.enum(['done', 'valid', 'invalid', 'forbidden']).nullable().describe('null: there was no time left'),
        goals: z.array(z.string()).describe('goals after it'),
        reason: z.string().nullable().describe('why it is invalid or forbidden'),
        new_text: z.string().nullable().describe('the text that replaces `replace`'),
      }),
    ),
    ...editOutput,
  },
  limitSeconds: namedLimit(60),
  answersLate: true,
  async run({ timeout_seconds: _, tactics, line, column, ...file }, { folder, withLean }, call) {
    const { text } = await givenFile(folder, file);
    return withLean(call, async ({ positions }) => {
      const { target } = await findPosition(text, { line, column }, (context) =>
        goalsAtPosition(positions, context, call.signal),
      );
      const told = (count: number): void => call.tell(`${count} of ${tactics.length} tactics`);
      const asked = { context: target.context, tactics, stepMs: STEP_MS };
      const { goals, problem, tried } = await tryAt(positions, asked, { signal: call.signal, late: call.late }, told);
      return {
        goals: [...goals],
        problem,
        results: tried.map((one, index) => ({
          tactic: tactics[index]!,
          class: one?.class ?? null,
          goals: [...(one?.goals ?? [])],
          reason: one?.reason ?? null,
          new_text: one?.class === 'done' || one?.class === 'valid' ? target.newText(one.text) : null,
        })),
        replace: replaced(text, target),
      };
    });
  },
});
