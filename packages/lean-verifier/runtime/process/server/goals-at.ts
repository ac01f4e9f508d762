/**
 * The goals at a place of a document that Lean has read: the goals of a tactic there, else the expected type of a term
 * there.
 */
import { z } from 'zod';
import type { MessageEnd } from '../message.ts';
import { TextPositions } from './positions.ts';
import type { ServerWorker } from './worker.ts';

/** The goals of a tactic as Lean prints them, a list: none where it stands after the last one is closed. */
const goalsSchema = z.object({ goals: z.array(z.string()) });
const termGoalSchema = z.object({ goal: z.string() });

/** `text`: the document. Null where there is no goal, or the process ended. */
export async function goalsAt(worker: ServerWorker, text: string, place: MessageEnd): Promise<string | null> {
  const at = { textDocument: { uri: worker.uri }, position: new TextPositions(text).toServer(place) };
  const goals = goalsSchema.safeParse(await worker.ask('$/lean/plainGoal', at));
  if (goals.success && goals.data.goals.length > 0) return goals.data.goals.join('\n\n');
  const term = termGoalSchema.safeParse(await worker.ask('$/lean/plainTermGoal', at));
  return term.success ? term.data.goal : null;
}
