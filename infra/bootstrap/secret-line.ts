/**
 * Makes a line for systemd's `EnvironmentFile` from an answer of Secret Manager: it reads the answer on standard input,
 * the variable's name as argument, and prints the line. On an error it exits with status 1 and a message that never
 * contains the secret.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const STDIN = 0;
/** Secret Manager's limit is 64 KiB, a third more in base64, plus some further fields. */
const ANSWER_CHARS_MAX = 128 * 1024;
const answerSchema = z.object({ payload: z.object({ data: z.base64().min(1) }) });

const [variable = ''] = process.argv.slice(2);
const fail = (problem: string): never => {
  console.error(`the secret for ${variable}: ${problem}`);
  process.exit(1);
};

const text = readFileSync(STDIN, 'utf8');
if (text.length > ANSWER_CHARS_MAX) fail('too long');
let parsed: ReturnType<typeof answerSchema.safeParse> | null = null;
try {
  parsed = answerSchema.safeParse(JSON.parse(text));
} catch {
  fail('the answer is not JSON');
}
if (!parsed?.success) fail('the answer has no payload');
// An editor may have added a final line feed.
const secret = Buffer.from(parsed?.data?.payload.data ?? '', 'base64')
  .toString('utf8')
  .replace(/\r?\n$/, '');
if (/[\0\r\n]/.test(secret)) fail('it has several lines, which no environment variable of a service can hold');
process.stdout.write(`${variable}="${secret.replaceAll(/[\\"`$]/g, '\\$&')}"\n`);
