/** A language server whose answers differ from Lean's, played by scripts. Every such answer ends its process. */
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openSteps } from '@stp/lean-explore';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { markedProcesses } from '../../../../../test/support/processes.ts';
import { scratchFolder } from '../../../testing/environment.ts';
import type { LeanEnvironment } from '../../../verifier.ts';
import { openServerDriver } from '../server-driver.ts';
import { startWorker } from './worker.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

const scratchDirectory = scratchFolder();
afterAll(() => rmSync(scratchDirectory, { recursive: true, force: true }));

/** Answers each request with what the function of this text makes of it. */
function contextOf(name: string, answerTo: string) {
  const program = join(scratchDirectory, `${name}.mjs`);
  writeFileSync(
    program,
    `const answerTo = ${answerTo};
let text = '';
process.stdin.on('data', (chunk) => {
  text += chunk.toString('latin1');
  for (;;) {
    const head = /Content-Length: (\\d+)\\r\\n\\r\\n/.exec(text);
    if (head === null || text.length < head.index + head[0].length + Number(head[1])) return;
    const start = head.index + head[0].length;
    const request = JSON.parse(text.slice(start, start + Number(head[1])));
    text = text.slice(start + Number(head[1]));
    const part = request.id === undefined ? undefined : answerTo(request);
    if (part === undefined) continue;
    const answer = JSON.stringify({ jsonrpc: '2.0', id: request.id, ...part });
    process.stdout.write('Content-Length: ' + Buffer.byteLength(answer) + '\\r\\n\\r\\n' + answer);
  }
});
`,
  );
  const executable = join(scratchDirectory, name);
  const worker = `case " $* " in *" --worker "*) exec '${process.execPath}' '${program}';; esac`;
  writeFileSync(executable, `#!/bin/sh\n${worker}\nexit 0\n`);
  chmodSync(executable, 0o755);
  const environment: LeanEnvironment = {
    source: 'configured',
    executable,
    version: 'stand-in',
    searchPath: [],
    fingerprint: '',
    toleratesLibraryAxioms: false,
  };
  return { environment, workingDirectory: scratchDirectory, runMark: `worker-${name}-${process.pid}` };
}

const REFUSES_SECOND = `((count) => ({ method }) =>
  method !== 'textDocument/waitForDiagnostics' ? undefined
  : ++count === 1 ? { result: {} } : { error: { code: -32603, message: 'no' } })(0)`;

describe('an error in place of an answer', () => {
  test('ends the run as a crash, and the process', async () => {
    const where = contextOf('refuses', REFUSES_SECOND);
    const opened = await openServerDriver(where).open('import Init', { memoryBytesMax: 2 ** 31 });
    if (opened.kind !== 'open') throw new Error(opened.kind);
    const { session } = opened;
    const exit = await session.run({ body: 'a', deadlineMs: 10_000, memoryBytesMax: 2 ** 31, onMessage: () => {} });
    expect(exit).toMatchObject({ how: 'crashed', signal: null });
    expect(exit.stderr).toContain('no');
    expect(session.isAlive).toBe(false);
    expect(markedProcesses(where.runMark)).toEqual([]);
    await session.close();
  });

  test('to the header is a process that did not start', async () => {
    const where = contextOf('refuses-header', `() => ({ error: { code: -32603, message: 'no' } })`);
    const opened = await openServerDriver(where).open('import Init', { memoryBytesMax: 2 ** 31 });
    expect(opened).toMatchObject({ kind: 'no_start', exit: { how: 'crashed' } });
    expect(markedProcesses(where.runMark)).toEqual([]);
  });

  test('ends a step, not the search', async () => {
    const where = contextOf('refuses-step', REFUSES_SECOND);
    const steps = openSteps({ ...where, libraryHeader: 'import Init', memoryBytesMax: 2 ** 31 });
    const opened = await steps.openGoal(null, 'theorem a : True', { deadlineMs: 10_000 });
    expect(opened).toMatchObject({ kind: 'invalid', why: 'crash' });
    await steps.close();
    expect(markedProcesses(where.runMark)).toEqual([]);
  });
});

test('a process that does not tell its goals in time has used up the time of its step', async () => {
  const where = contextOf(
    'silent',
    `({ method }) => (method === 'textDocument/waitForDiagnostics' ? { result: {} } : undefined)`,
  );
  const steps = openSteps({ ...where, libraryHeader: 'import Init', memoryBytesMax: 2 ** 31 });
  const opened = await steps.openGoal(null, 'theorem a : True', { deadlineMs: 50 });
  expect(opened).toMatchObject({ kind: 'invalid', why: 'timeout' });
  await steps.close();
  expect(markedProcesses(where.runMark)).toEqual([]);
});

test('answers that were read are not held until the process ends', async () => {
  const where = contextOf(
    'talks',
    `() => ({ result: Array.from({ length: 5_000 }, (_, index) => 'goal ' + index + 'x'.repeat(100)) })`,
  );
  const worker = await startWorker(where, 2 ** 31);
  if (!('process' in worker)) throw new Error(worker.stderr);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const usedBytes = async (): Promise<number> => {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    return process.memoryUsage().heapUsed;
  };
  for (let asked = 0; asked < 5; asked += 1) await worker.ask('$/goals', {});
  const before = await usedBytes();
  for (let asked = 0; asked < 100; asked += 1) expect(await worker.ask('$/goals', {})).toHaveLength(5_000);
  const grownBytes = (await usedBytes()) - before;
  worker.process.end('crashed');
  await worker.process.ended;
  // A hundred answers have 60 MB.
  expect(grownBytes).toBeLessThan(10_000_000);
});
