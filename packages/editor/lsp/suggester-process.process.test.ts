/** Tests the proxy's side of the suggester. A program that ends on request replaces the suggester. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { SuggesterProcess } from './suggester-process.ts';

/** A program that drops its first request and ends a little later, in each of its first `deaths` starts. */
const PROGRAM = `
import { createServer } from 'node:http';
import { appendFileSync, readFileSync } from 'node:fs';
const [file, deaths] = process.argv.slice(1);
appendFileSync(file, 'started ');
const server = createServer((request, response) => {
  if (readFileSync(file, 'utf8').split('started').length - 1 <= Number(deaths)) {
    request.socket.destroy();
    setTimeout(() => process.exit(1), 500);
    return;
  }
  response.end('event: answer\\ndata: {"suggestions":[],"unchecked":null}\\n\\n');
});
server.listen(0, '127.0.0.1', () => console.log('serving suggestions on http://127.0.0.1:' + server.address().port));
`;

let suggester: SuggesterProcess;
let file: string;

function suggesterThatDies(deaths: number): void {
  file = join(mkdtempSync(join(tmpdir(), 'suggester-')), 'lives');
  writeFileSync(file, '');
  const words = [process.execPath, '--input-type=module', '-e', PROGRAM, file, String(deaths)];
  suggester = new SuggesterProcess({ words, keysVariable: 'KEYS' });
}

const lives = (): number => readFileSync(file, 'utf8').split('started').length - 1;
const ask = () => suggester.ask({}, new AbortController().signal, () => {});

afterEach(() => suggester.close());

test('a question that a dying suggester leaves open is asked of the next one', async () => {
  suggesterThatDies(1);
  expect(await ask()).toEqual({ suggestions: [], unchecked: null });
  expect(lives()).toBe(2);
  await ask();
  expect(lives()).toBe(2);
});

test('questions that wait together when it dies share the next one', async () => {
  suggesterThatDies(1);
  const answers = await Promise.all([ask(), ask(), ask()]);
  expect(answers).toHaveLength(3);
  expect(lives()).toBe(2);
});

test('a question that ends two suggesters is given up, and the next one may be answered', async () => {
  suggesterThatDies(2);
  await expect(ask()).rejects.toThrow(/the suggester at \S+ is gone/u);
  expect(await ask()).toEqual({ suggestions: [], unchecked: null });
});

test.each([
  ['no JSON', 'answer', 'none'],
  ['an answer of another shape', 'answer', '{"suggestions":1,"unchecked":null}'],
  [
    'a suggestion without its goals',
    'answer',
    '{"suggestions":[{"text":"rfl","class":"done","source":"m"}],"unchecked":null}',
  ],
  ['an error without a message', 'error', '{"reason":"x"}'],
])('%s is an error that shows the event', async (_, event, data) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`event: ${event}\ndata: ${data}\n\n`);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const asked = new SuggesterProcess({ url, key: null }).ask({}, new AbortController().signal, () => {});
  await expect(asked).rejects.toThrow(`the suggester sent an event that cannot be read: ${data}`);
});
