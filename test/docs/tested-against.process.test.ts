/**
 * Tests the page of parts and their tests: each row has one of four marks, a part that was run names an existing test,
 * and a test of the real program uses no stand-in of ours.
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from './guides.ts';

const page = readFileSync(join(REPOSITORY, 'docs', 'tested-against.md'), 'utf8');
const rows = page
  .slice(page.indexOf('## The parts'))
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, part, met, against, shownBy]) => ({ part: part!, met: met!, against: against!, shownBy: shownBy! }));

/** Files of ours that play a server or a program of others. */
const STAND_INS = /\/fakes\/|stand-in|fake-server|repl-double/;
/** Stand-ins that a test may use though its row says `real`: the part itself is not what is played. */
const PLAYED = new Map([['start-up.process.test.ts', 'the cloud around the machine']]);

test('has all its rows', () => {
  expect(rows.length).toBeGreaterThan(20);
  expect(new Set(rows.map(({ part }) => part)).size).toBe(rows.length);
});

test.each(rows)('$part: $met', ({ met, against, shownBy }) => {
  expect(['real', 'peer', 'stand-in', 'not run']).toContain(met);
  if (met === 'not run') return expect(shownBy).toBe('');
  expect(against).not.toBe('');
  const path = /^`((?:test|packages)\/[\w/.-]+\.(?:test|slow)\.ts)`$/.exec(shownBy)?.[1];
  expect(path, shownBy).toBeDefined();
  const imports = readFileSync(join(REPOSITORY, path!), 'utf8').match(/^import .*$|^\} from .*$/gm) ?? [];
  if (met === 'real' && !PLAYED.has(basename(path!)))
    expect(imports.filter((line) => STAND_INS.test(line))).toEqual([]);
});
