/** Input and output of `stp verify`, with a judge that proves nothing and does not use Lean. Under 5 s. */
import { setImmediate as turn } from 'node:timers/promises';
import { LINE_BYTES_MAX } from '@stp/base/files';
import { PROOF_CHARS_MAX, STATEMENT_CHARS_MAX } from '@stp/config/records';
import { expect, it } from 'vitest';
import { mapInOrder, windowsOf } from '../../cli/shared/windows.ts';
import { answersOf } from '../../cli/verify/verify.ts';
import type { Answer } from '../../cli/verify/verify-lines.ts';
import { rowsOf, type VerifyRow } from '../../cli/verify/verify-rows.ts';

const ROW = { id: 'a', statement: 'theorem t : 1 = 1', proof: '  rfl' };
const answer = ({ id, proof }: VerifyRow): Answer => {
  return { id, verdict: 'rejected', axioms: [], checks: [], message: proof };
};

async function* bytes(...texts: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}
const problemsOf = async (...texts: (string | Buffer)[]): Promise<(string | null)[]> =>
  (await Array.fromAsync(rowsOf(bytes(...texts)))).map((row) => ('problem' in row ? row.problem : null));

it('reads a row a line, and no header is the library header', async () => {
  const text = [ROW, { ...ROW, header: null }, { ...ROW, header: 'import Init' }]
    .map((row) => JSON.stringify(row))
    .join('\r\n\n');
  // Cut anywhere.
  const chunks = Array.from({ length: Math.ceil(text.length / 7) }, (_, index) => text.slice(7 * index, 7 * index + 7));
  expect(await Array.fromAsync(rowsOf(bytes(...chunks)))).toEqual([
    { ...ROW, header: null },
    { ...ROW, header: null },
    { ...ROW, header: 'import Init' },
  ]);
});

it.each([
  ['no JSON', 'nonsense', 'it is not JSON'],
  ['half a row', JSON.stringify(ROW).slice(0, 20), 'it is not JSON'],
  ['no object', '[1]', 'expected object'],
  ['null', 'null', 'expected object'],
  ['a key twice', `{"proof": "  sorry", ${JSON.stringify(ROW).slice(1)}`, 'two keys proof'],
  [
    'a key twice, once written otherwise',
    `{"pr\\u006fof": "  sorry" , ${JSON.stringify(ROW).slice(1)}`,
    'two keys proof',
  ],
  ['a header under another name', JSON.stringify({ ...ROW, Header: 'import Init' }), '"Header": write header'],
  ['a header with a letter more', JSON.stringify({ ...ROW, headers: 'import Init' }), '"headers": write header'],
  ['a field less', JSON.stringify({ id: 'a', proof: '' }), 'statement: '],
  ['a number for an id', JSON.stringify({ ...ROW, id: 1 }), 'id: '],
  ['a long id', JSON.stringify({ ...ROW, id: 'x'.repeat(129) }), 'id: '],
  ['a long header', JSON.stringify({ ...ROW, header: 'x'.repeat(4_097) }), 'header: '],
  ['a long statement', JSON.stringify({ ...ROW, statement: 'x'.repeat(STATEMENT_CHARS_MAX + 1) }), 'statement: '],
  ['a long proof', JSON.stringify({ ...ROW, proof: 'x'.repeat(PROOF_CHARS_MAX + 1) }), 'proof: '],
  ['a long line', 'x'.repeat(LINE_BYTES_MAX + 1), `longer than ${LINE_BYTES_MAX} bytes`],
  ['half a character', JSON.stringify({ ...ROW, proof: '/- \ud800 -/ rfl' }), 'proof: it holds half a character'],
  ['other bytes than UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'it is not UTF-8'],
])('tells of %s by its line and goes on', async (_, bad, problem) => {
  const good = `${JSON.stringify(ROW)}\n`;
  const problems = await problemsOf(good, bad, '\n', good);
  expect(problems).toEqual([null, expect.stringMatching(/^line 2: /), null]);
  expect(problems[1]).toContain(problem);
  expect(problems[1]!.length).toBeLessThan(500);
  expect(await problemsOf(bad)).toEqual([expect.stringContaining(problem)]);
});

const FURTHER =
  '"split": "test", "source": {"proof": "x", "id": [{"proof": 1}]}, "__proto__": {"id": 1}, "constructor": 1';
const WITH_FURTHER = `{${FURTHER}, ${JSON.stringify(ROW).slice(1)}`;

it('passes further keys over, whatever they are', async () => {
  const huge = JSON.stringify({ ...ROW, 'a "proof": {': 'x'.repeat(LINE_BYTES_MAX - 200), verdict: 'proved', row: [] });
  const rows = await Array.fromAsync(rowsOf(bytes(`${WITH_FURTHER}\n${huge}\n{"split": 1, ${FURTHER}, "split": 2}`)));
  expect(rows).toEqual([
    { ...ROW, header: null },
    { ...ROW, header: null },
    { id: null, problem: expect.stringMatching(/^line 3: id: .*statement: .*proof: /) },
  ]);
  for (const row of rows) expect(row).not.toHaveProperty('further');
});

it('gives them back where they are to be kept, and nothing of them stands for a verdict', async () => {
  const lines = [WITH_FURTHER, JSON.stringify({ ...ROW, verdict: 'proved', id: 5 }), JSON.stringify(ROW), '[1]', 'x'];
  const judge = async (rows: readonly VerifyRow[]) => rows.map(answer);
  const given = (await Array.fromAsync(answersOf(bytes(lines.join('\n')), 10, judge, true))).flat();
  expect(given.map(({ verdict }) => verdict)).toEqual(['rejected', 'invalid', 'rejected', 'invalid', 'invalid']);
  const [first, second, third, ...none] = given.map((one) => JSON.stringify(one.row));
  expect(first).toBe(JSON.stringify(JSON.parse(`{${FURTHER}}`)));
  expect(second).toBe('{"verdict":"proved"}');
  expect(third).toBe('{}');
  expect(none).toEqual(['null', 'null']);
});

it('a line of any length is not held', async () => {
  let given = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    const chunk = Buffer.alloc(1_048_576, 'x');
    for (; given < 200; given++) yield chunk;
    yield Buffer.from(`\n${JSON.stringify(ROW)}\n`);
  }
  const rows = rowsOf(endless());
  expect((await rows.next()).value).toMatchObject({ problem: expect.stringContaining('line 1') });
  // The problem is reported before the line ends.
  expect(given).toBeLessThan(2);
  expect((await rows.next()).value).toEqual({ ...ROW, header: null });
});

it('holds some windows of two thousand rows of one theorem, answers in order', async () => {
  const count = 2_000;
  const windowRows = 50;
  let read = 0;
  let told = 0;
  let most = 0;
  async function* source(): AsyncGenerator<Buffer> {
    for (; read < count; read++) {
      most = Math.max(most, read - told);
      yield Buffer.from(`${JSON.stringify({ ...ROW, proof: `  exact proof_${read}` })}\n`);
    }
  }
  const sizes: number[] = [];
  const judge = async (rows: readonly VerifyRow[]): Promise<Answer[]> => {
    sizes.push(rows.length);
    // Later windows are done first.
    for (let turns = 0; turns < 10 * (sizes.length % 2); turns++) await turn();
    return rows.map(answer);
  };
  for await (const answers of answersOf(source(), windowRows, judge))
    for (const { message } of answers) expect(message).toBe(`  exact proof_${told++}`);
  expect(told).toBe(count);
  expect(Math.max(...sizes)).toBe(windowRows);
  expect(most).toBeLessThanOrEqual(4 * windowRows);
});

it('answers what is there while nothing more comes', async () => {
  const gate = Promise.withResolvers<void>();
  async function* source(): AsyncGenerator<Buffer> {
    yield Buffer.from(`${JSON.stringify(ROW)}\nnonsense\n`);
    await gate.promise;
    yield Buffer.from(`${JSON.stringify({ ...ROW, id: 'b' })}\n`);
  }
  const answers = answersOf(source(), 100, async (rows) => rows.map(answer));
  expect((await answers.next()).value).toMatchObject([
    { id: 'a', verdict: 'rejected' },
    { id: null, verdict: 'invalid', message: 'line 2: it is not JSON' },
  ]);
  gate.resolve();
  expect((await answers.next()).value).toMatchObject([{ id: 'b' }]);
  expect((await answers.next()).done).toBe(true);
});

it('tells what came before the input failed', async () => {
  async function* source(): AsyncGenerator<Buffer> {
    yield Buffer.from(`${JSON.stringify(ROW)}\n`);
    throw new Error('the disk is gone');
  }
  const answers = answersOf(source(), 100, async (rows) => rows.map(answer));
  expect((await answers.next()).value).toMatchObject([{ id: 'a' }]);
  await expect(answers.next()).rejects.toThrow('the disk is gone');
});

it('works on so many windows at once and waits for those that were begun', async () => {
  async function* numbers(): AsyncGenerator<number> {
    for (let number = 0; number < 9; number++) yield number;
  }
  let running = 0;
  let most = 0;
  const results = mapInOrder(windowsOf(numbers(), 2, 1_000), 2, async (window) => {
    most = Math.max(most, ++running);
    for (let turns = 0; turns < 5; turns++) await turn();
    running -= 1;
    if (window.includes(5)) throw new Error('five');
    return window;
  });
  const told: number[][] = [];
  await expect(
    (async () => {
      for await (const window of results) told.push(window);
    })(),
  ).rejects.toThrow('five');
  expect(told).toEqual([
    [0, 1],
    [2, 3],
  ]);
  expect([most, running]).toEqual([2, 0]);
});
