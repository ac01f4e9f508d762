/** A file against a file of statements: nothing that the statements ask for is passed over. Real Lean; some fifteen seconds of a core. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLeanHost } from '../../runtime/pool/lean-host.ts';
import { noSandbox } from '../../runtime/sandbox/sandbox.ts';
import { coreEnvironment, scratchFolder } from '../../testing/environment.ts';
import { FileJudge } from './file-judge.ts';

const folder = scratchFolder();
let judge: FileJudge;
beforeAll(async () => {
  judge = new FileJudge({
    environment: await coreEnvironment(),
    sandbox: noSandbox('text of the tests'),
    scratchDirectory: join(folder, 'scratch'),
    runMark: `stated-file-${process.pid}`,
    indexFolder: join(folder, 'constants'),
    memoryBytesMax: 3_000_000_000,
    host: openLeanHost(),
    processes: 2,
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const verify = (statements: string, content: string) =>
  judge.verify(statements, content, 60_000, AbortSignal.timeout(120_000));
const MAIN = 'theorem main : 1 = 1 := sorry\n';
const PROVED = 'theorem main : 1 = 1 := rfl\n';

test('a text that proves each theorem of the statements is accepted', async () => {
  expect(
    await verify(`${MAIN}theorem more (n : Nat) : n = n := sorry`, `${PROVED}theorem more (k : Nat) : k = k := rfl`),
  ).toMatchObject({
    outcome: 'accepted',
    stated: [
      { name: 'main', statement: 'same' },
      { name: 'more', statement: 'same' },
    ],
  });
});

describe('statements that would be passed over are refused', () => {
  test.each([
    ['a private theorem', 'private theorem hard : 1 = 2 := sorry', 'the private theorem hard'],
    ['a private lemma in a namespace', 'namespace A\nprivate theorem hard : 1 = 2 := sorry\nend A', 'A.hard'],
    ['a private axiom', 'private axiom lie : 1 = 2', 'declares the axiom lie'],
    [
      'a private definition that is left open',
      'private def answer : Nat := sorry',
      'leaves the definition answer open',
    ],
    ['an example', 'example : 1 = 2 := sorry', '2:0: an example'],
    ['an example in one command', 'open Nat in\n/-- Hard. -/\nprivate example : 1 = 2 := sorry', '4:8: an example'],
    [
      'a theorem that code of its own adds',
      'open Lean in\nrun_cmd Elab.Command.liftCoreM <| addDecl <| .thmDecl { name := `hard, levelParams := [], type := mkConst ``True, value := mkConst ``True.intro }',
      'runs code',
    ],
  ])('%s', async (_, more, problem) => {
    const imports = more.includes('run_cmd') ? 'import Lean\n' : '';
    expect(await verify(`${imports}${MAIN}${more}`, `${imports}${PROVED}`)).toEqual({
      problem: expect.stringContaining(problem),
    });
  });
});
