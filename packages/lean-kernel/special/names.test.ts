/** No rule of the kernel goes by a name alone: outside `special/` its source names no constant. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const kernel = join(import.meta.dirname, '..');
/** A quoted name such as `'Nat'` or `'String.ofList'` that is looked up or compared. */
const NAMED = /(?:names\.(?:of|text)\(|===|!==|case )\s*(?:[\w#.]+, )?['"`][A-Z][a-z]/;

const isNaming = (line: string): boolean => NAMED.test(line) && !line.trimStart().startsWith('*');

it('finds names where there are some', () => {
  expect(isNaming("if (name === names.of('Nat.succ')) return null;")).toBe(true);
  expect(isNaming("if (label === 'String') return null;")).toBe(true);
  expect(isNaming("terms.names.text(prefix, 'Nat')")).toBe(true);
});

it('names of constants stand in the folder of special constants alone', () => {
  const files = readdirSync(kernel, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/^(?:special|testing)\/|\.(?:test|slow)\.ts$/.test(file),
  );
  expect(files.length).toBeGreaterThan(50);
  const found = files.flatMap((file) =>
    readFileSync(join(kernel, file), 'utf8')
      .split('\n')
      .map((line, at) => ({ where: `${file}:${at + 1}`, line }))
      .filter(({ line }) => isNaming(line)),
  );
  expect(found).toEqual([]);
});
