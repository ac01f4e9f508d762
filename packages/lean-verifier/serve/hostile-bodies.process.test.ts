/**
 * Bodies that are too large, sent in any way, and keys that would change properties of every object. No Lean, except
 * for one check.
 */
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { post, type Served, serveLean } from '../testing/served.ts';
import { BODY_BYTES_MAX } from './limits.ts';
import { errorAnswerSchema } from './wire.ts';

let served: Served;
beforeAll(async () => {
  served = await serveLean({ driver: 'json' });
});

/** Sends the whole body before it reads, as most clients do. Returns the whole answer. */
function exchange(head: string, pieces: Iterable<string | Buffer>): Promise<string> {
  const { port } = new URL(served.server.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    const received: Buffer[] = [];
    socket.on('error', reject);
    socket.on('end', () => resolve(Buffer.concat(received).toString('utf8')));
    const start = `POST /api/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${head}\r\n\r\n`;
    void (async () => {
      for (const piece of [start, ...pieces])
        if (!socket.write(piece)) await new Promise((drained) => socket.once('drain', drained));
      socket.on('data', (chunk: Buffer) => received.push(chunk));
    })();
  });
}

describe.each([
  ['just above the bound', BODY_BYTES_MAX + 1],
  ['far above the bound', 4 * BODY_BYTES_MAX],
])('a body %s', (_, bytes) => {
  const block = Buffer.alloc(65_536, ' ');
  const blocks = Array.from({ length: Math.ceil(bytes / block.length) }, (_unused, index) =>
    block.subarray(0, Math.min(block.length, bytes - index * block.length)),
  );
  const chunks = [...blocks.flatMap((one) => [`${one.length.toString(16)}\r\n`, one, '\r\n']), '0\r\n\r\n'];

  it.each<[string, string, Iterable<string | Buffer>]>([
    ['of a length that is told', `Content-Length: ${bytes}`, blocks],
    ['in chunks', 'Transfer-Encoding: chunked', chunks],
  ])('%s is answered with 413, once it is sent', async (_name, head, pieces) => {
    const answer = await exchange(head, pieces);
    const [headers = '', body = ''] = answer.split('\r\n\r\n');
    expect(headers).toMatch(/^HTTP\/1\.1 413 /);
    expect(headers).toMatch(/^content-type: application\/json/im);
    expect(errorAnswerSchema.parse(JSON.parse(body)).detail).toContain(`at most ${BODY_BYTES_MAX} bytes`);
  });
});

it('takes the next request', async () => {
  const { status } = await post(`${served.server.url}/api/check`, { snippets: [{ id: 'a', code: '#check Nat' }] });
  expect(status).toBe(200);
});

describe('a key of all objects', () => {
  const snippet = '"id": "a", "code": "#check Nat"';
  it.each([
    ['__proto__', `{"__proto__": {"debug": true}, "snippets": [{${snippet}}]}`],
    ['__proto__, further in', `{"snippets": [{${snippet}, "__proto__": {"polluted": 1}}]}`],
    ['__proto__, spelled out', `{"snippets": [{${snippet}, "\\u005f_proto__": {"polluted": 1}}]}`],
    ['constructor with a prototype', `{"snippets": [{${snippet}}], "constructor": {"prototype": {"polluted": 1}}}`],
  ])('%s is refused', async (_, body) => {
    const { status, body: answer } = await post(`${served.server.url}/api/check`, body);
    expect(status).toBe(400);
    expect(answer.detail).toContain('`__proto__`');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('is an id as any other, and is passed by where it says nothing', async () => {
    const ids = ['__proto__', 'constructor', 'prototype', 'toString'];
    const snippets = ids.map(
      (id) => `{"id": "${id}", "code": "#check Nat", "prototype": {"polluted": 1}, "constructor": 1}`,
    );
    const { status, body } = await post(
      `${served.server.url}/api/check`,
      `{"snippets": [${snippets.join(', ')}], "prototype": {"debug": true}, "timeout": 60}`,
    );
    expect(status).toBe(200);
    expect(body.results.map(({ id }) => id)).toEqual(ids);
    expect(body.results[0]).not.toHaveProperty('diagnostics');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

it('a body that is no JSON is told so', async () => {
  const { status, body } = await post(`${served.server.url}/api/check`, '{');
  expect(status).toBe(400);
  expect(body.detail).toContain('not JSON');
});

describe('half a character, which would become another text on its way to Lean', () => {
  const half = '"theorem a : \\"\\ud800\\" = \\"\ufffd\\" := rfl"';
  it.each([
    ['/api/check', `{"snippets": [{"id": "a", "code": ${half}}]}`, ['snippets', 0, 'code']],
    ['/api/check', '{"snippets": [{"id": "\\udfff", "code": "#check Nat"}]}', ['snippets', 0, 'id']],
    ['/verify', `{"codes": [{"custom_id": "a", "proof": ${half}}]}`, ['codes', 0, 'proof']],
  ])('is refused by %s', async (path, body, location) => {
    const { status, body: answer } = await post(`${served.server.url}${path}`, body);
    expect([status, answer.detail]).toEqual([422, [expect.objectContaining({ loc: ['body', ...location] })]]);
  });
});
