/** Tests the line in which a schema's objections to a value are told, however many there are. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeIssues, listed } from './describe-issues.ts';

const issuesOf = (schema: z.ZodType, value: unknown, root?: string): string =>
  describeIssues(schema.safeParse(value).error!, root);

describe('the issues of a schema', () => {
  it('have their place and what is wrong', () => {
    const schema = z.strictObject({ a: z.object({ b: z.array(z.string()) }) });
    expect(issuesOf(schema, { a: { b: ['x', 1] } })).toBe('a.b.1: Invalid input: expected string, received number');
    expect(issuesOf(schema, 1)).toBe('value: Invalid input: expected object, received number');
    expect(issuesOf(schema, 1, 'input')).toMatch(/^input: /);
  });

  it('of a long list are counted', () => {
    const many = Array.from({ length: 48_900 }, (_, index) => [index]);
    expect(issuesOf(z.object({ merges: z.array(z.string()), x: z.null() }), { merges: many, x: 1 })).toBe(
      'merges.*: Invalid input: expected string, received array (48900 times); x: Invalid input: expected null, received number',
    );
  });

  it.each([
    [
      'fields',
      z.record(z.string(), z.string()),
      Object.fromEntries(Array.from({ length: 500 }, (_, id) => [`k${id}`, id])),
    ],
    [
      'keys that nobody asked for',
      z.strictObject({}),
      Object.fromEntries(Array.from({ length: 9_000 }, (_, id) => [`k${id}`, id])),
    ],
    ['long names', z.record(z.string(), z.string()), { ['k'.repeat(1e6)]: 1, ['l\n'.repeat(1e6)]: 2 }],
    ['long expectations', z.literal('x\n'.repeat(1e6)), 'y'],
  ])('many %s are a line of two thousand characters at most', (_, schema, value) => {
    const text = issuesOf(schema, value);
    expect(text.length).toBeLessThan(2_000);
    expect(text).not.toContain('\n');
  });
});

it('a list in a message names the first and counts the others', () => {
  expect(listed(['a', 'b'])).toBe('a, b');
  expect(listed(Array.from({ length: 12 }, (_, id) => `${id}`))).toBe('0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more');
  expect(listed(['x'.repeat(1e6)]).length).toBeLessThan(300);
});

it('no other file makes text of them', () => {
  const repository = join(import.meta.dirname, '../..');
  const pattern = 'prettifyError|treeifyError|flattenError|issues\\.map';
  const { stdout, status } = spawnSync('git', ['grep', '-lE', pattern, '--', '*.ts', ':!*.test.ts', ':!test'], {
    cwd: repository,
  });
  // Exit code 1: grep found nothing.
  expect([status, String(stdout)]).toEqual([1, '']);
});
