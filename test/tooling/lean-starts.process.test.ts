/**
 * Tests that only one function starts Lean (`packages/lean-verifier/runtime/process/spawn.ts`), so one sandbox is
 * enough: no other file of the Lean packages can start a program.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';

const REPOSITORY = join(import.meta.dirname, '../..');

/** Text that starts programs, by any way of importing it. */
const STARTS_PROGRAMS = /(?:from|import|require|import\()\s*\(?['"](?:node:)?(?:child_process|cluster|execa)['"]/;
const USES_SET_UP_COMMANDS = /from ['"][./\w-]*\/run-command\.ts['"]/;

const ALLOWED = {
  'packages/lean-verifier/runtime/process/spawn.ts': 'starts Lean, and what speaks for it',
  'packages/lean-verifier/runtime/process/parent-death.ts':
    'asks `setpriv` whether it can have a process end with its parent; starts `true`',
  'packages/lean-verifier/toolchain/run-command.ts': 'tools of the set-up, and questions to a toolchain about itself',
  'packages/lean-verifier/runtime/sandbox/probe-program.ts': 'runs inside the sandbox, to find out whether it holds',
};
/** Who may use the set-up's commands: nobody who has text of a model. */
const SET_UP = /^packages\/lean-verifier\/(?:toolchain\/|runtime\/sandbox\/(?:find-bubblewrap|probe)\.ts$)/;

const files = globSync('packages/{lean-kernel,lean-text,lean-verifier,lean-explore}/**/*.ts', { cwd: REPOSITORY })
  .map((path) => relative('', path))
  .filter((path) => !/\.(?:test|slow)\.ts$|\/testing(?:\.ts$|\/)/.test(path));
const text = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8');

it('only the named files start programs', () => {
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((path) => STARTS_PROGRAMS.test(text(path))).sort()).toEqual(Object.keys(ALLOWED).sort());
});

it('commands of the set-up are used by the set-up and the probe alone', () => {
  expect(files.filter((path) => USES_SET_UP_COMMANDS.test(text(path)) && !SET_UP.test(path))).toEqual([]);
});

it('the rule sees every way of importing', () => {
  const bad = [
    "import { spawn } from 'node:child_process';",
    "import * as processes from 'child_process';",
    "const { fork } = await import('node:child_process');",
    "const { exec } = require('child_process');",
    "import { execa } from 'execa';",
    "import 'node:cluster';",
  ];
  expect(bad.filter((line) => !STARTS_PROGRAMS.test(line))).toEqual([]);
  expect(STARTS_PROGRAMS.test("import { startLean } from '../process/spawn.ts';")).toBe(false);
});
