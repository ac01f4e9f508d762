/** Lines pass up to a bound; a longer one gets an answer with its id, and is not kept. */
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { BoundedLines } from './bounded-lines.ts';

const BOUND = 4_096;

async function passed(input: string, pieceBytes: number) {
  const long: (string | null)[] = [];
  const bytes = Buffer.from(input);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
    bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  );
  const lines = Readable.from(pieces).pipe(new BoundedLines(BOUND, (id) => long.push(id)));
  return { read: await text(lines), long };
}

const long = (end: string, begin = '{') => `${begin}"params":{"id":9,"text":"${'x'.repeat(2 * BOUND)}"}${end}`;

it.each([1, 100, 1_000_000])('in pieces of %d bytes', async (pieceBytes) => {
  const lines = [
    '{"id":1}',
    long(',"id":2}'),
    long('}', '{"jsonrpc":"2.0","id":"three",'),
    long('}'),
    long(',"id":5}}', '{"a":{'),
    'ä'.repeat(BOUND / 2),
    '',
    '{"id":6}',
  ];
  const { read, long: told } = await passed(`${lines.join('\n')}\n`, pieceBytes);
  expect(told).toEqual(['2', '"three"', null, null]);
  expect(read).toBe(`${[lines[0], ...lines.slice(5)].join('\n')}\n`);
});

it('does not pass a line without an end', async () => {
  expect(await passed('{"id":1}', 100)).toEqual({ read: '', long: [] });
});
