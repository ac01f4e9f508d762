/** Tests the language server's protocol without a server: frames, positions, and repeated diagnostics. */

import type { LeanMessage } from '@stp/config/records';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DiagnosticReader } from './server/diagnostics.ts';
import { readFrames } from './server/frames.ts';
import { TextPositions } from './server/positions.ts';

function frame(text: string, before = ''): Buffer {
  return Buffer.from(`${before}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

function framesOf(bytes: Buffer, size: number): { bodies: string[]; broken: string[] } {
  const bodies: string[] = [];
  const broken: string[] = [];
  const push = readFrames(
    (body) => bodies.push(body.toString('utf8')),
    (why) => broken.push(why),
  );
  for (let start = 0; start < bytes.length; start += size) push(bytes.subarray(start, start + size));
  return { bodies, broken };
}

describe('frames', () => {
  test('are the same however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.integer({ min: 1, max: 40 }), (texts, size) => {
        const bytes = Buffer.concat(texts.map((text, index) => frame(text, index % 2 ? 'Content-Type: x\r\n' : '')));
        expect(framesOf(bytes, size)).toEqual({ bodies: texts, broken: [] });
      }),
      { seed: 15 },
    );
  });

  test.each([
    ['text without a head', Buffer.alloc(4_000, 'y\n')],
    ['a head without a length', Buffer.from('Content-Type: x\r\n\r\n{}')],
    ['a length beyond measure', Buffer.from('Content-Length: 999999999\r\n\r\n{}')],
    ['a length that is no number', Buffer.from('Content-Length: 12a\r\n\r\n{}')],
  ])('%s breaks the stream once, after what was whole', (_what, bytes) => {
    for (const size of [1, 7, 5_000]) {
      const { bodies, broken } = framesOf(Buffer.concat([frame('{"a":1}'), bytes, frame('{"b":1}')]), size);
      expect(bodies).toEqual(['{"a":1}']);
      expect(broken.length).toBe(1);
    }
  });
});

describe('places', () => {
  test('come back from UTF-16 units', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), fc.nat(), fc.nat(), (lines, some, at) => {
        const positions = new TextPositions(lines.join('\n'));
        const line = 1 + (some % lines.join('\n').split('\n').length);
        const text = [...lines.join('\n').split('\n')[line - 1]!];
        const position = { line, column: at % (text.length + 1) };
        expect(positions.toSource(positions.toServer(position))).toEqual(position);
        expect(positions.toServer(position).character).toBe(text.slice(0, position.column).join('').length);
      }),
      { seed: 16 },
    );
  });

  test('outside the text stay as near as they can', () => {
    const positions = new TextPositions('𝔸');
    expect(positions.toSource({ line: 0, character: 99 })).toEqual({ line: 1, column: 1 });
    expect(positions.toSource({ line: 9, character: 3 })).toEqual({ line: 10, column: 0 });
    expect(positions.toServer({ line: 1, column: 99 })).toEqual({ line: 0, character: 2 });
  });
});

describe('diagnostics', () => {
  function diagnostic(message: string, more: object = {}) {
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
    return { range, severity: 1, message, ...more };
  }

  function told(pushed: readonly object[]): LeanMessage[] {
    const messages: LeanMessage[] = [];
    const reader = new DiagnosticReader(2, new TextPositions('abc\n'), (message) => messages.push(message));
    for (const parameters of pushed) reader.push(parameters);
    return messages;
  }

  test.each([
    ['a list that grows', [['a'], ['a', 'b'], ['a', 'b', 'b']], false],
    ['additions', [['a'], ['b'], ['b']], true],
  ])('of %s are told once each', (_what, lists, isIncremental) => {
    const pushed = lists.map((texts) => ({
      version: 2,
      isIncremental,
      diagnostics: texts.map((text) => diagnostic(text)),
    }));
    expect(told(pushed).map(({ text }) => text)).toEqual(['a', 'b', 'b']);
    const older = pushed.map(({ isIncremental: _, ...rest }) => rest);
    if (!isIncremental) expect(told(older).map(({ text }) => text)).toEqual(['a', 'b', 'b']);
  });

  test('of another version, malformed or silent are not reported', () => {
    const diagnostics = [diagnostic('a')];
    const silent = [diagnostic('mark', { isSilent: true })];
    const pushed = [
      { version: 1, diagnostics },
      { diagnostics },
      { version: 2, diagnostics: 'a' },
      { version: 2, diagnostics: [{ message: 'a' }] },
      { version: 2, diagnostics: silent },
    ];
    expect(told(pushed)).toEqual([]);
  });

  test('of more than a megabyte are cut', () => {
    const [message] = told([{ version: 2, diagnostics: [diagnostic('huge'.repeat(300_000))] }]);
    expect(message!.text).toMatch(/^huge.*… \(cut\)$/u);
    expect(message!.text.length).toBeLessThan(100_000);
  });

  test('have severities as lean --json names them', () => {
    const diagnostics = [1, 2, 3, 4, undefined].map((severity) => diagnostic('a', { severity }));
    const severities = told([{ version: 2, diagnostics }]).map(({ severity }) => severity);
    expect(severities).toEqual(['error', 'warning', 'information', 'information', 'information']);
  });
});
