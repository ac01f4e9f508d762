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

  test('reads the place of a message that is too long, however the bytes are cut', () => {
    const place = '"isSilent":false,"kind":"x","pos":{"column":6,"line":5},"severity":"error"}\n';
    const false_ = '\\"pos\\":{\\"column\\":1,\\"line\\":1},\\"severity\\":\\"information\\"}';
    const long = Buffer.from(
      `{"caption":"","data":"${'𝔸'.repeat(400_000)}${false_}","endPos":null,${place}${line('after')}`,
    );
    for (const size of [long.length, 65_536, 1_048_575, 999_999, 1_600_050]) {
      const read: LeanMessage[] = [];
      const reader = readMessages((message) => read.push(message));
      for (let start = 0; start < long.length; start += size) reader.push(long.subarray(start, start + size));
      expect(read.map(({ text, ...rest }) => [rest, text.slice(0, 30)])).toEqual([
        [{ severity: 'error', line: 5, column: 6 }, expect.stringMatching(/^a message of 1\d{6} bytes/u)],
        [{ severity: 'error', line: 1, column: 0 }, 'after'],
      ]);
    }
  });

  test('drops what is no message and what is too long, and goes on', () => {
    const read: LeanMessage[] = [];
    const reader = readMessages((message) => read.push(message));
    reader.push(Buffer.from('hello\n{"severity":"error"}\n[1]\n'));
    reader.push(Buffer.from(line('x'.repeat(1_100_000))));
    reader.push(Buffer.from(line('after')));
    expect(read.map(({ text }) => text)).toEqual(['after']);
  });
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

  test('that dies, or was never there, is told apart', async () => {
    expect(await run('kill -SEGV $$')).toMatchObject({ how: 'crashed', signal: 'SIGSEGV' });
    expect((await run('exit 127')).how).toBe('not-started');
    expect((await run('exit 0', { workingDirectory: join(scratchDirectory, 'nowhere') })).how).toBe('not-started');
  });
});
