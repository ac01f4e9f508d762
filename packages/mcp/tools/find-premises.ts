/** `find_premises`: finds theorems of the project that share terms with a goal. */
import { StpError } from '@stp/base';
import { STATEMENT_CHARS_MAX } from '@stp/config/records';
import { goalsAtPosition, ownName, Premises } from '@stp/editor';
import { readHeader } from '@stp/lean-text';
import { z } from 'zod';
import { fileInput, findPosition, givenFile, positionInput } from '../position-input.ts';
import { namedLimit, timeoutSeconds, tool } from '../tool.ts';

const PREMISES_MAX = 100;
const CODE_CHARS_MAX = 2_000;
/** Matches this repository's library, as its header imports it. */
const LIBRARY = /^Stp(?:\.|$)/u;
const LIBRARY_FILE = '(library)';

export const findPremises = tool({
  name: 'find_premises',
  title: 'Find premises',
  description:
    'Theorems of the project’s files that are like a goal, by the terms they share (BM25), best first. Give the goal as text, or a position in a file. A file has to be imported before its theorems can be used. Of the position’s own file, only theorems above the position are found.',
  input: {
    goal: z.string().min(1).max(STATEMENT_CHARS_MAX).optional().describe('a goal as Lean prints it, or a statement'),
    ...fileInput,
    line: positionInput.line.optional(),
    column: positionInput.column,
    most: z.number().int().min(1).max(PREMISES_MAX).default(20).describe('how many'),
    timeout_seconds: timeoutSeconds,
  },
  output: {
    goal: z.string().describe('the goal that was asked about'),
    premises: z.array(
      z.object({
        name: z.string().describe('full name'),
        statement: z.string().describe('as it is written'),
        file: z.string(),
      }),
    ),
    files: z.number().describe('how many files were read'),
  },
  limitSeconds: namedLimit(120),
  async run({ goal, most, line, column, ...asked }, { folder, libraryTexts, withLean }, call) {
    const isFile = asked.path !== undefined || asked.text !== undefined;
    if (goal === undefined && (!isFile || line === undefined))
      throw new StpError('STP1002', 'there is no goal', 'Give goal as text, or a file (path or text) and a line.');
    const given = isFile ? await givenFile(folder, asked) : null;
    const at = given === null || line === undefined ? null : await opened(given.text, line, goal === undefined);
    const state = goal ?? at!.goal!;
    const files = (await folder.files(call.signal)).filter(({ path }) => path !== given?.file?.path);
    const texts = files.map(({ path, text }) => ({ path, text }));
    if (given !== null) texts.unshift({ path: given.file?.path ?? '(text)', text: at?.above ?? given.text });
    if (given !== null && readHeader(given.text).imports.some(({ name }) => LIBRARY.test(name)))
      for (const text of await libraryTexts()) texts.push({ path: LIBRARY_FILE, text });
    const found = await new Premises(texts.map(({ text }) => text)).find(
      state,
      at === null ? null : ownName(at.above),
      most,
    );
    return {
      goal: state,
      premises: found.map(({ name, code, text }) => ({
        name,
        statement: code.slice(0, CODE_CHARS_MAX),
        file: texts[text]!.path,
      })),
      files: texts.length,
    };

    /** Returns the text above the position. Neither the theorem there nor a later one may be used in its proof. */
    async function opened(text: string, at: number, needsGoal: boolean): Promise<{ above: string; goal?: string }> {
      const { target, goals } = await withLean(call, ({ positions }) =>
        findPosition(text, { line: at, column }, (context) => goalsAtPosition(positions, context, call.signal)),
      );
      if (goals.problem !== null && needsGoal)
        throw new StpError(
          'STP1002',
          `there is no goal at line ${at}: ${goals.problem}`,
          'Name a position in a proof.',
        );
      return { above: target.context, ...(goals.problem === null ? { goal: goals.goals[0]! } : {}) };
    }
  },
});
