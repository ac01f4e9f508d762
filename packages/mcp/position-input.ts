/** Positions in files as agents give them: lines from 1, and columns from 0 in code points, as in Lean's messages. */
import { StpError } from '@stp/base';
import { type EditTarget, editTarget, type PositionGoals } from '@stp/editor';
import { z } from 'zod';
import type { ProjectFile, ProjectFolder } from './project-folder.ts';

/** Maximum characters of a text in a request; files may be larger. */
export const TEXT_CHARS_MAX = 262_144;
export const PATH_CHARS_MAX = 4_096;

export const fileInput = {
  path: z.string().min(1).max(PATH_CHARS_MAX).optional().describe('a .lean file below the project folder'),
  text: z.string().max(TEXT_CHARS_MAX).optional().describe('the text of a Lean file, instead of path'),
};

export const positionInput = {
  ...fileInput,
  line: z.number().int().min(1).describe('line of the position, from 1'),
  column: z.number().int().min(0).default(0).describe('column of the position, from 0, in characters'),
};

const position = z.object({ line: z.number(), column: z.number() });
export const editOutput = {
  replace: z
    .object({ start: position, end: position })
    .describe('the part of the file that a tactic replaces; empty where it is inserted'),
};

/** A file that was named, or sent as text. */
export interface GivenFile {
  readonly text: string;
  /** Null for a text that was sent. */
  readonly file: ProjectFile | null;
}

interface FileInput {
  readonly path?: string | undefined;
  readonly text?: string | undefined;
}

/** Throws STP1002 unless exactly one of the two is given, and as `ProjectFolder.read`. */
export async function givenFile(folder: ProjectFolder, { path, text }: FileInput): Promise<GivenFile> {
  if ((path === undefined) === (text === undefined))
    throw new StpError('STP1002', 'a file is named by path, or sent as text', 'Give one of the two, and not both.');
  if (text !== undefined) return { text: text.replaceAll('\r\n', '\n'), file: null };
  const file = await folder.read(path!);
  return { text: file.text, file };
}

/** Where a tactic can be inserted, and the goals there. */
export interface FoundPosition {
  readonly target: EditTarget;
  readonly goals: PositionGoals;
}

/**
 * Finds where a tactic can go at a line and column: below the tactic there or, if no tactic can stand there, instead of
 * that tactic, whose beginning becomes the prefix. `goalsOf` asks Lean for goals. Throws STP1002 for a position outside
 * the text.
 */
export async function findPosition(
  text: string,
  { line, column }: { readonly line: number; readonly column: number },
  goalsOf: (context: string) => Promise<PositionGoals>,
): Promise<FoundPosition> {
  const written = text.split('\n')[line - 1];
  if (written === undefined)
    throw new StpError('STP1002', `the text has no line ${line}`, 'Name a line of the text, from 1.');
  const character = Array.from(written).slice(0, column).join('').length;
  const at = { line: line - 1, character };
  const below = editTarget(text, at, false);
  const found = { target: below, goals: await goalsOf(below.context) };
  if (found.goals.problem === null) return found;
  const atToken = editTarget(text, at, true);
  if (atToken.context === below.context) return found;
  const goals = await goalsOf(atToken.context);
  return goals.problem === null ? { target: atToken, goals } : found;
}

/** Returns the part of the text that a tactic replaces, with columns in code points. */
export function replaced(text: string, { range }: EditTarget): z.output<z.ZodObject<typeof editOutput>>['replace'] {
  const lines = text.split('\n');
  const told = (at: EditTarget['range']['start']) => ({
    line: at.line + 1,
    column: Array.from((lines[at.line] ?? '').slice(0, at.character)).length,
  });
  return { start: told(range.start), end: told(range.end) };
}
