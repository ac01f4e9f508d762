/** `check_file`: gives a verdict for every theorem of a file, like `bin/stp check`. */
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { sha256 } from '@stp/config/ids';
import { checkRecordSchema, leanMessageSchema } from '@stp/config/records';
import { checkFile as judgeFile, meaningLines } from '@stp/lean-verifier';
import { z } from 'zod';
import { fileInput, givenFile } from '../position-input.ts';
import { namedLimit, timeoutSeconds, tool } from '../tool.ts';

const THEOREMS_MAX = 1_000;
const MESSAGES_MAX = 50;
const MESSAGE_CHARS_MAX = 2_000;
const SECONDS = 300;

const outcome = z.enum(['accepted', 'rejected', 'unchecked']);

export const checkFile = tool({
  name: 'check_file',
  title: 'Check a Lean file',
  description:
    'Judges every theorem and example of a Lean file by its compiled object and a second kernel. Accepts none that rests on `sorry` or on an axiom other than Lean’s three, and notes statements that mean something else than they seem to.',
  input: { ...fileInput, timeout_seconds: timeoutSeconds },
  output: {
    outcome: outcome.describe('of the file as a whole'),
    reason: z.string().describe('why the file as a whole is not accepted; empty if the theorems say it'),
    theorems: z.array(
      z.object({
        name: z.string(),
        verdict: outcome,
        line: z.number(),
        column: z.number(),
        message: z.string().describe('why it is not accepted'),
        axioms: z.array(z.string()),
        notes: z.array(z.string()).describe('facts that can deceive a reader of the statement'),
      }),
    ),
    left_out: z.number().describe('theorems and messages that are not in this answer'),
    notes: z.array(z.string()).describe('facts about the file that can deceive a reader'),
    messages: z.array(leanMessageSchema).describe('errors and warnings of Lean'),
    checks: z.array(checkRecordSchema),
    text_hash: z.string().describe('SHA-256 of the text that was judged'),
    is_stale: z.boolean().describe('the file was changed while it was judged'),
  },
  limitSeconds: namedLimit(SECONDS),
  async run({ timeout_seconds: seconds = SECONDS, ...asked }, { folder, withLean }, call) {
    const { text, file } = await givenFile(folder, asked);
    const report = await withLean(call, async ({ environment, sandbox, scratchDirectory, runMark, indexFolder }) => {
      // Judge a copy, because the file may change meanwhile.
      const own = join(scratchDirectory, `file-${randomBytes(8).toString('hex')}`);
      const copy = join(own, file === null ? 'Text.lean' : basename(file.path));
      await mkdir(own, { recursive: true });
      try {
        await writeFile(copy, text);
        call.tell('Lean is reading the file');
        return await judgeFile(copy, environment, {
          scratchDirectory: own,
          runMark,
          sandbox,
          indexFolder,
          signal: call.signal,
          sparesOthers: true,
          timeoutMs: 1_000 * seconds * availableParallelism(),
        });
      } finally {
        await rm(own, { recursive: true, force: true });
      }
    });
    call.signal.throwIfAborted();
    const theorems = [...report.theorems, ...(report.examples ?? [])].sort(
      (a, b) => a.line - b.line || a.column - b.column,
    );
    const messages = report.messages.filter(({ severity }) => severity !== 'information');
    const shown = theorems.slice(0, THEOREMS_MAX);
    const said = messages.slice(0, MESSAGES_MAX);
    return {
      outcome: report.outcome,
      reason: report.reason,
      theorems: shown.map(({ name, verdict, line, column, message, axioms, meaning }) => ({
        name,
        verdict,
        line,
        column,
        message: message.slice(0, MESSAGE_CHARS_MAX),
        axioms: [...axioms],
        notes: meaning === undefined ? [] : meaningLines(meaning),
      })),
      left_out: theorems.length - shown.length + messages.length - said.length,
      notes: [...(report.notes ?? [])],
      messages: said.map((message) => ({ ...message, text: message.text.slice(0, MESSAGE_CHARS_MAX) })),
      checks: [...report.checks],
      text_hash: file?.hash ?? sha256(text),
      is_stale: file !== null && !(await folder.isUnchanged(file)),
    };
  },
});
