/** `goals_at`: gives the goals at a position in a proof. */
import { goalsAtPosition } from '@stp/editor';
import { z } from 'zod';
import { editOutput, findPosition, givenFile, positionInput, replaced } from '../position-input.ts';
import { namedLimit, timeoutSeconds, tool } from '../tool.ts';

export const goalsAt = tool({
  name: 'goals_at',
  title: 'Goals at a position',
  description:
    'The goals where a tactic would be inserted: at an empty line, instead of a `sorry`, below a tactic, or instead of a broken one. Lean reads the file up to there.',
  input: { ...positionInput, timeout_seconds: timeoutSeconds },
  output: {
    goals: z.array(z.string()).describe('as Lean prints them; the first is the one that a tactic works on'),
    problem: z.string().nullable().describe('why there are none; null if there are'),
    errors: z.array(z.string()).describe('errors above the position'),
    ...editOutput,
  },
  limitSeconds: namedLimit(120),
  async run({ timeout_seconds: _, line, column, ...file }, { folder, withLean }, call) {
    const { text } = await givenFile(folder, file);
    const { target, goals } = await withLean(call, ({ positions }) =>
      findPosition(text, { line, column }, (context) => goalsAtPosition(positions, context, call.signal)),
    );
    const { goals: found, problem, errors } = goals;
    return { goals: [...found], problem, errors: [...errors], replace: replaced(text, target) };
  },
});
