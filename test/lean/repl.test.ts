/**
 * The REPL's protocol: replies of the real one as its own tests record them, and a process that writes what it should not.
 * The driver's contract is tested in `drivers.test.ts`. A few seconds of real Lean.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { leanMessage, type ReplReply, readReplies } from '../../lean/process/repl/replies.ts';
import { markedProcesses } from '../support/processes.ts';
import { driverOf, runBody, sessionOf } from './drivers.ts';
import { coreEnvironment, scratchFolder } from './environment.ts';

const TRANSCRIPTS = join(import.meta.dirname, 'repl-transcripts');
const workingDirectory = scratchFolder();
afterAll(() => rmSync(workingDirectory, { recursive: true, force: true }));

function repliesOf(bytes: Buffer, size = bytes.length): (ReplReply | null)[] {
  const replies: (ReplReply | null)[] = [];
  const read = readReplies((reply) => replies.push(reply));
  for (let start = 0; start < bytes.length; start += size) read(bytes.subarray(start, start + size));
  return replies;
}

describe('recorded replies', () => {
  const recorded = (name: string) => readFileSync(join(TRANSCRIPTS, `${name}.expected.out`));

  test('are read whole, however the bytes are cut', () => {
    const names = readdirSync(TRANSCRIPTS).filter((name) => name.endsWith('.out'));
    expect(names.length).toBe(5);
    for (const name of names) {
      const bytes = readFileSync(join(TRANSCRIPTS, name));
      const whole = repliesOf(bytes);
      const blocks = bytes
        .toString('utf8')
        .trim()
        .split(/\n\s*\n/);
      expect(whole.length).toBe(blocks.length);
      for (const size of [1, 2, 3, 7, 64]) expect(repliesOf(bytes, size)).toEqual(whole);
    }
  });

  test('become messages as lean --json has them', () => {
    const replies = repliesOf(recorded('incomplete'));
    expect(replies.map((reply) => reply !== null && 'env' in reply && reply.env)).toEqual([0, 1]);
    const second = replies[1] as Extract<ReplReply, { env: number }>;
    expect(second.messages.map((message) => leanMessage(message, 10))).toEqual([
      [
        { severity: 'error', line: 13, column: 19, text: expect.stringContaining('case pos') },
        { line: 13, column: 20 },
      ],
      [
        { severity: 'error', line: 11, column: 26, text: expect.stringContaining('h✝ : ¬x = true') },
        { line: 13, column: 20 },
      ],
    ]);
    const [, checked] = repliesOf(recorded('dup_msg')) as Extract<ReplReply, { env: number }>[];
    expect(leanMessage(checked!.messages[0]!, 0)[0]).toMatchObject({ severity: 'information', text: 'f : Nat' });
  });

  test('that say why there is no environment are told apart', () => {
    expect(repliesOf(recorded('unknown_environment'))).toEqual([{ message: 'Unknown environment.' }]);
  });

  test('to what this project never asks, and what is no reply, are none', () => {
    // A proof step has no environment.
    expect(repliesOf(recorded('app_type_mismatch')).slice(2)).toEqual([null, null, null]);
    expect(repliesOf(Buffer.from('hello\n\n{"env": -1}\n\n[]\n\n{"env":"0"}\n\n'))).toEqual([null, null, null, null]);
  });
});

describe('a process that writes replies of its own', () => {
  test.each([
    ['a reply before the real one', '{"env": 7}'],
    ['an empty success and what the driver asks next', '{"env": 7}\n\n{"env": 8, "messages": []}'],
    ['what is no JSON', 'hello'],
  ])('%s: is ended and not believed', async (_what, written) => {
    const runMark = `test-${randomBytes(6).toString('hex')}`;
    const driver = driverOf('repl', { environment: await coreEnvironment(), workingDirectory, runMark });
    const session = await sessionOf(driver);
    const lines = written.split('\n\n').map((text) => `-- double writes: ${text}`);
    const { exit, messages } = await runBody(session, `${lines.join('\n')}\nexample : 1 = 2 := rfl`);
    expect(exit.how).toBe('crashed');
    expect(messages).toEqual([]);
    expect(session.isAlive).toBe(false);
    expect(markedProcesses(runMark)).toEqual([]);
  });

  test('one that never replies is ended by wall time', async () => {
    const session = await sessionOf(driverOf('repl', { environment: await coreEnvironment(), workingDirectory }));
    const { exit } = await runBody(session, '-- double hangs', { deadlineMs: 60 });
    expect(exit.how).toBe('deadline');
  });
});
