/**
 * The reader of Lean's output, and the one place that starts Lean: what a child may see, and that nothing of it stays. Small
 * scripts stand in for Lean where Lean itself cannot be made to misbehave so. A few seconds.
 */
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LeanMessage } from '@stp/config/records';
import { afterAll, describe, expect, test } from 'vitest';
import { killMarked, markedProcesses } from '../../../../test/support/processes.ts';
import { scratchFolder } from '../../testing/environment.ts';
import type { LeanEnvironment } from '../../verifier.ts';
import { noSandbox } from '../sandbox/sandbox.ts';
import { type LeanRun, runLean } from './lean-process.ts';
import { readMessages } from './message.ts';

const scratchDirectory = scratchFolder();
afterAll(() => rmSync(scratchDirectory, { recursive: true, force: true }));

function line(text: string, at = 1): string {
  return `${JSON.stringify({ severity: 'error', pos: { line: at, column: 0 }, endPos: null, data: text, kind: 'x' })}\n`;
}

describe('the reader', () => {
  test('gets the same messages however the bytes are cut', () => {
    const bytes = Buffer.from([line('∀ x, 𝔸', 1), line('two\nlines', 2), line('last', 3)].join(''));
    for (let size = 1; size < 40; size += 1) {
      const read: LeanMessage[] = [];
      const reader = readMessages((message) => read.push(message));
      for (let start = 0; start < bytes.length; start += size) reader.push(bytes.subarray(start, start + size));
      expect(read.map(({ text }) => text)).toEqual(['∀ x, 𝔸', 'two\nlines', 'last']);
    }
  });

  test('drops what is no message, and goes on', () => {
    const read: LeanMessage[] = [];
    const reader = readMessages((message) => read.push(message));
    reader.push(Buffer.from('hello\n{"severity":"error"}\n[1]\n'));
    reader.push(Buffer.from(`${'x'.repeat(1_100_000)}\n`));
    reader.push(Buffer.from(line('after')));
    expect(read.map(({ text }) => text)).toEqual(['after']);
  });

  // As Lean writes it; the text imitates what stands behind it.
  const long = (text: string, severity: string): string =>
    `${JSON.stringify({ caption: '', data: text, endPos: { line: 3, column: 9 }, fileName: 'a.lean', kind: 'x', pos: { line: 3, column: 2 }, severity })}\n`;

  test.each(['x', '∀𝔸', '\\', '"', '\n\t\u0001', '","endPos":null,"severity":"information"}'])(
    'cuts the text of a message that is too long: %j',
    (unit) => {
      for (let before = 0; before < 7; before += 1) {
        const text = 'y'.repeat(before) + unit.repeat(Math.ceil(1_100_000 / unit.length));
        const bytes = Buffer.from(long(text, 'error') + line('after'));
        const read: LeanMessage[] = [];
        const reader = readMessages((message) => read.push(message));
        for (let start = 0; start < bytes.length; start += 60_000) reader.push(bytes.subarray(start, start + 60_000));
        expect(read.map(({ severity, line, column }) => [severity, line, column])).toEqual([
          ['error', 3, 2],
          ['error', 1, 0],
        ]);
        const [begin, cut] = read[0]!.text.split(' … (cut)');
        expect([text.startsWith(begin!), begin!.length > 10_000, cut]).toEqual([true, true, '']);
      }
    },
  );
});

describe('a process', () => {
  function run(script: string, options: Partial<LeanRun> = {}) {
    const executable = join(scratchDirectory, `lean-${Math.random().toString(36).slice(2)}`);
    writeFileSync(executable, `#!/bin/sh\n${script}\n`);
    chmodSync(executable, 0o755);
    const environment: LeanEnvironment = {
      source: 'configured',
      executable,
      version: 'stand-in',
      searchPath: ['/a', '/b'],
      fingerprint: '',
      toleratesLibraryAxioms: false,
    };
    const messages: LeanMessage[] = [];
    const exit = runLean({
      environment,
      arguments: ['--stdin'],
      input: '',
      workingDirectory: scratchDirectory,
      deadlineMs: 60_000,
      memoryBytesMax: 2_000_000_000,
      onMessage: (message) => messages.push(message),
      ...options,
    });
    return exit.then((ended) => ({ ...ended, messages }));
  }

  test('sees the search path and the mark, and no secret', async () => {
    process.env.STP_TEST_SECRET = 'do not pass on';
    const ended = await run('env >&2', { runMark: 'mark-1' });
    delete process.env.STP_TEST_SECRET;
    expect(ended.how).toBe('finished');
    expect(ended.stderr).toContain('LEAN_PATH=/a:/b');
    expect(ended.stderr).toContain('STP_RUN_MARK=mark-1');
    expect(ended.stderr).not.toContain('do not pass on');
  });

  test('ends with what it started', async () => {
    const runMark = `test-${Math.random().toString(36).slice(2)}`;
    const ended = await run(`sleep 1000 & sleep 1000 & echo '${line('two children').trim()}'; exit 1`, { runMark });
    expect(ended).toMatchObject({ how: 'finished', code: 1 });
    expect(markedProcesses(runMark)).toEqual([]);
  });

  test('ends also where something that has left its group holds its output', async () => {
    const runMark = `test-${Math.random().toString(36).slice(2)}`;
    const ended = await run('setsid sleep 1000 & sleep 0.5; exit 1', { runMark });
    killMarked(runMark);
    expect(ended).toMatchObject({ how: 'finished', code: 1 });
  });

  test('that has written output counts as started, also if it ends with an error', async () => {
    const said = line('here').trim();
    expect(await run(`echo '${said}'; exit 127`)).toMatchObject({ how: 'crashed', code: 127 });
    const sandbox = { ...noSandbox('none'), failedToStart: () => true };
    expect((await run(`echo '${said}'; exit 1`, { sandbox })).how).toBe('finished');
    expect((await run('exit 1', { sandbox })).how).toBe('not-started');
  });

  test('that works without end is stopped by its processor time, one that waits by wall time', async () => {
    expect((await run('while :; do :; done', { deadlineMs: 300 })).how).toBe('deadline');
    expect((await run('sleep 1000', { deadlineMs: 50 })).how).toBe('deadline');
  });

  test('that prints without end is stopped', async () => {
    expect((await run(`exec yes "$(printf '%60000s' x)"`)).how).toBe('output');
  });

  test('that dies is distinguished from one that was never there', async () => {
    expect(await run('kill -SEGV $$')).toMatchObject({ how: 'crashed', signal: 'SIGSEGV' });
    expect((await run('exit 127')).how).toBe('not-started');
    expect((await run('exit 0', { workingDirectory: join(scratchDirectory, 'nowhere') })).how).toBe('not-started');
  });
});
