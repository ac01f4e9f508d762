/**
 * Finds the goals at a position of a document that Lean has read: the goals of the tactic there, or else the expected
 * type of the term there.
 */
import { z } from 'zod';
import type { MessageEnd } from '../message.ts';
import { TextPositions } from './positions.ts';
import type { ServerWorker } from './worker.ts';

/** The tactic's goals as Lean prints them; an empty list once all goals are closed. */
const goalsSchema = z.object({ goals: z.array(z.string()) });
const termGoalSchema = z.object({ goal: z.string() });

/** `text` is the document. Null if there is no goal, or if the process has ended. */
export async function goalsAt(worker: ServerWorker, text: string, position: MessageEnd): Promise<string | null> {
  const at = { textDocument: { uri: worker.uri }, position: new TextPositions(text).toServer(position) };
  const goals = goalsSchema.safeParse(await worker.ask('$/lean/plainGoal', at));
  if (goals.success && goals.data.goals.length > 0) return goals.data.goals.join('\n\n');
  const term = termGoalSchema.safeParse(await worker.ask('$/lean/plainTermGoal', at));
  return term.success ? term.data.goal : null;
}
