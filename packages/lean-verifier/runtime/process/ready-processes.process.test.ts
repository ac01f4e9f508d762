/** Processes that are started ahead: each is used once, says what another process would say, and none outlives its owner. Some seconds of a core. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import { markedProcesses } from '../../../../test/support/processes.ts';
import { machineSandbox } from '../../../../test/support/sandbox.ts';
import { coreEnvironment, scratchFolder } from '../../testing/environment.ts';
import { type CompiledModule, compileModule } from '../../trust/object/compiled-module.ts';
import { type ReadyProcess, ReadyProcesses } from './ready-processes.ts';

const environment = await coreEnvironment();
const sandbox = await machineSandbox(environment);
const folder = scratchFolder();
const runMark = `ready-${process.pid}`;
const processContext = { environment, workingDirectory: folder, runMark, ...(sandbox === null ? {} : { sandbox }) };
const memoryBytesMax = 3_000_000_000;
const opened: ReadyProcesses[] = [];
const TEXT = 'import Init\ntheorem a (x y : Nat) (h : x < y) : ¬ y ≤ x := by omega\n';

afterEach(async () => {
  await Promise.all(opened.splice(0).map((ready) => ready.close()));
  expect(left()).toEqual([]);
  expect(markedProcesses(runMark)).toEqual([]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const left = (): string[] => readdirSync(folder).filter((name) => name.startsWith('ready-'));

function open(isCalm = () => true, own = processContext): ReadyProcesses {
  const ready = new ReadyProcesses({ processContext: own, scratchDirectory: folder, memoryBytesMax, isCalm });
  opened.push(ready);
  return ready;
}

/** Polls until a process is ready; every poll starts one. */
async function taken(ready: ReadyProcesses): Promise<ReadyProcess> {
  for (;;) {
    const found = ready.take();
    if (found !== null) return found;
    await pause(20);
  }
}

const given = (one: ReadyProcess): ReadyProcesses => ({ take: () => one }) as unknown as ReadyProcesses;
const compile = (text: string, more: object = {}, name = 'made'): Promise<CompiledModule> =>
  compileModule({
    processContext,
    module: 'Same',
    text,
    directory: join(folder, name),
    deadlineMs: 60_000,
    memoryBytesMax,
    ...more,
  });
/** What Lean writes into each module by itself: where the module is to lie in memory. */
const size = ({ path }: CompiledModule): number => readFileSync(path!).length;

it('there is none at first, then one for each text, and it makes what another process makes', async () => {
  const ready = open();
  expect(ready.take()).toBeNull();
  const [one, two] = [await taken(ready), await taken(ready)];
  expect(one.process.pid).not.toBe(two.process.pid);
  expect(one.directory).not.toBe(two.directory);
  const plain = await compile(TEXT, {}, 'plain');
  for (const waiting of [one, two]) {
    const made = await compile(TEXT, { ready: given(waiting) });
    expect([made.exit, made.failure, made.messages]).toEqual([plain.exit, plain.failure, plain.messages]);
    expect(made.path).toBe(join(folder, 'made', 'Same.olean'));
    expect(Math.abs(size(made) - size(plain))).toBeLessThan(64);
    expect(existsSync(waiting.directory)).toBe(false);
  }
});

it('it tells of the errors of its text where they are', async () => {
  const wrong = `${TEXT}theorem wrong : 1 = 2 := by\n  rfl\n`;
  const made = await compile(wrong, { ready: given(await taken(open())) });
  expect(made.path).toBeNull();
  expect(made.messages).toEqual((await compile(wrong, {}, 'plain')).messages);
});

it('one that is killed while it waits, or with its text, says nothing about the text', async () => {
  const ready = open();
  const one = await taken(ready);
  one.process.end('crashed');
  await one.process.ended;
  // It is known to have ended, by a program of ours or in another way.
  expect((await compile(TEXT, { ready: given(one) })).path).not.toBeNull();
  const two = await taken(ready);
  process.kill(-two.process.pid, 'SIGKILL');
  expect((await compile(TEXT, { ready: given(two) })).path).not.toBeNull();
  const waits = await taken(ready);
  process.kill(-waits.process.pid, 'SIGKILL');
  await waits.remove();
});

it('the limits of its text hold, and what gives it up ends it', async () => {
  const ready = open();
  const heavy = 'import Init\nexample : (List.range 100000000).length = 3 := by decide +kernel\n';
  const memory = await compile(heavy, { ready: given(await taken(ready)), memoryBytesMax: 400_000_000 });
  expect(memory).toMatchObject({ path: null, exit: 'memory' });
  const deadline = await compile(heavy, { ready: given(await taken(ready)), deadlineMs: 300 });
  expect(deadline).toMatchObject({ path: null, exit: 'deadline' });
  const stop = new AbortController();
  const working = compile(heavy, { ready: given(await taken(ready)), signal: stop.signal });
  setTimeout(() => stop.abort(new Error('given up')), 300);
  await expect(working).rejects.toThrow('given up');
});

it('a text that makes more than its module has none', async () => {
  const executable = join(folder, 'stand-in');
  writeFileSync(executable, '#!/bin/sh\ncat >/dev/null\nfor word; do last=$word; done\ntouch "$last" more\n', {
    mode: 0o755,
  });
  const own = { environment: { ...environment, executable }, workingDirectory: folder, runMark };
  const made = await compile(TEXT, {
    processContext: own,
    ready: given(await taken(open(() => true, own as typeof processContext))),
  });
  expect(made).toMatchObject({ path: null, failure: expect.stringMatching(/made more than its module/) });
});

it('none is started while the cores are wanted, or where Lean cannot be, and none for what is in order or imported', async () => {
  const busy = open(() => false);
  expect([busy.take(), busy.take()]).toEqual([null, null]);
  const nowhere = open(() => true, {
    ...processContext,
    environment: { ...environment, executable: join(folder, 'nowhere') },
  });
  expect(nowhere.take()).toBeNull();
  while (left().length > 0) await pause(20);
  expect(nowhere.take()).toBeNull();
  let asked = 0;
  const counted = {
    take: () => {
      asked += 1;
      return null;
    },
  };
  for (const more of [{ inOrder: true }, { isImported: true }]) await compile(TEXT, { ...more, ready: counted });
  expect(asked).toBe(0);
  await compile(TEXT, { ready: counted });
  expect(asked).toBe(1);
});
