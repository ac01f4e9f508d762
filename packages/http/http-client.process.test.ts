import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { HttpClient } from './http-client.ts';

const LIMITS = { answerBytesMax: 1_000, timeoutMs: 30_000 };
const open: { server: Server; client: HttpClient }[] = [];

/** Returns a client of a server that answers each path by its function. */
async function clientOf(answers: Record<string, (response: ServerResponse) => void>, key: string | null = null) {
  const asked: { url: string; key: string | undefined }[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url!, key: request.headers.authorization });
    request.resume();
    answers[request.url!]!(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new HttpClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, key, {
    connectionFailed: (_, cause) => (cause instanceof Refusal ? cause : new Refusal(`no answer: ${cause}`)),
    timedOut: (_, ms) => new Refusal(`silent for ${ms} ms`),
    answerTooLarge: (_, bytes) => new Refusal(`more than ${bytes} bytes`),
  });
  open.push({ server, client });
  return { asked, client };
}
class Refusal extends Error {}

afterEach(async () => {
  for (const { server, client } of open.splice(0)) {
    client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const eventsOf = async (text: string, wanted = Infinity) => {
  const { client } = await clientOf({
    '/events': (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      // The server sends single bytes, so no event, line or letter arrives whole.
      for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
      response.end();
    },
  });
  const events: [string | undefined, string][] = [];
  const { end } = await client.stream('events', {
    body: {},
    answerBytesMax: LIMITS.answerBytesMax,
    silenceMs: 30_000,
    onEvent: ({ event, data }) => events.push([event, data]) < wanted,
  });
  return { end, events };
};

it('reads server-sent events as the standard says', async () => {
  const text = ': still here\r\n\r\nevent: step\r\ndata: {"λ":\r\ndata: 1}\r\n\r\ndata:plain\nid: 7\n\n';
  expect(await eventsOf(text)).toEqual({
    end: 'whole',
    events: [
      ['step', '{"λ":\n1}'],
      [undefined, 'plain'],
    ],
  });
});

it('takes a last event without its empty line', async () => {
  expect(await eventsOf('data: a\n\ndata: b')).toEqual({
    end: 'whole',
    events: [
      [undefined, 'a'],
      [undefined, 'b'],
    ],
  });
});

it('hears no event after the last that is wanted, and none beyond the limit', async () => {
  expect(await eventsOf('data: a\n\ndata: b\n\ndata: c\n\n', 2)).toMatchObject({ end: 'stopped', events: [{}, {}] });
  expect(await eventsOf(`data: a\n\ndata: ${'x'.repeat(2_000)}\n\ndata: c\n\n`)).toMatchObject({
    end: 'too-large',
    events: [[undefined, 'a']],
  });
});

it('follows no redirect, so the key reaches no other address', async () => {
  const { asked, client } = await clientOf(
    { '/here': (response) => response.writeHead(307, { location: '/there' }).end(), '/there': (r) => r.end('{}') },
    'secret',
  );
  expect(await client.exchange('here', { ...LIMITS, body: {} })).toMatchObject({ status: 307 });
  expect(asked).toEqual([{ url: '/here', key: 'Bearer secret' }]);
});

it('refuses an answer that is cut short, too large or too late, and ends with its signal', async () => {
  const { client } = await clientOf({
    '/cut': (response) => response.writeHead(200, { 'content-length': 100 }).write('half', () => response.destroy()),
    '/large': (response) => response.end('x'.repeat(1_001)),
    '/late': (response) => response.write('{'),
  });
  await expect(client.exchange('cut', LIMITS)).rejects.toThrow(/^no answer: /);
  await expect(client.exchange('large', LIMITS)).rejects.toThrow('more than 1000 bytes');
  await expect(client.exchange('late', { ...LIMITS, timeoutMs: 50 })).rejects.toThrow('silent for 50 ms');
  const signal = AbortSignal.abort(new Error('not wanted'));
  await expect(client.exchange('late', { ...LIMITS, signal })).rejects.toThrow('not wanted');
  const later = new AbortController();
  const asking = client.exchange('late', { ...LIMITS, signal: later.signal });
  setTimeout(() => later.abort(new Error('no longer wanted')), 20);
  await expect(asking).rejects.toThrow('no longer wanted');
});
