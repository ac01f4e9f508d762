/**
 * Tests the proxy between an editor and a server, both played by this test: passed messages, requests to the server,
 * and answers to the editor.
 */
import { PassThrough } from 'node:stream';
import { readFrames } from '@stp/lean-verifier';
import { expect, test } from 'vitest';
import { startProxy } from './proxy.ts';
import type { ServedAnswer } from './suggester-process.ts';

const URI = 'file:///Session.lean';
const AT = { line: 1, character: 2 };

// biome-ignore lint/suspicious/noExplicitAny: messages as they come
type Message = any;

/** One side of a connection. */
function sideOf(input: PassThrough, output: PassThrough) {
  const heard: Message[] = [];
  input.on(
    'data',
    readFrames(
      (body) => heard.push(JSON.parse(body.toString('utf8'))),
      () => {},
    ),
  );
  return {
    heard,
    say: (message: object) => {
      const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
      output.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
    },
    /** Resolves with the first message, received already or later, that satisfies the condition. */
    async next(isIt: (message: Message) => boolean): Promise<Message> {
      await expect.poll(() => heard.some(isIt)).toBe(true);
      return heard.find(isIt);
    },
  };
}

function connect(answer: Promise<ServedAnswer> = new Promise(() => {})) {
  const [toProxy, fromProxy, toServer, fromServer] = Array.from({ length: 4 }, () => new PassThrough());
  startProxy({
    editor: { input: toProxy!, output: fromProxy! },
    server: { input: toServer!, output: fromServer! },
    suggester: { ask: () => answer, start: () => {} },
    searchSeconds: 1,
    onError: () => {},
  });
  return {
    editor: sideOf(fromProxy!, toProxy!),
    server: sideOf(toServer!, fromServer!),
    bytes: { toProxy: toProxy!, toServer: toServer!, fromServer: fromServer!, fromProxy: fromProxy! },
  };
}

/** Opens a connection after the handshake, with an open file that has one goal. */
async function session(answer?: Promise<ServedAnswer>) {
  const both = connect(answer);
  const { editor, server } = both;
  const capabilities = { workspace: { workspaceEdit: { documentChanges: true } } };
  editor.say({ id: 0, method: 'initialize', params: { capabilities } });
  await server.next(({ method }) => method === 'initialize');
  server.say({ id: 0, result: { capabilities: {} } });
  const { result } = await editor.next(({ id }) => id === 0);
  const textDocument = { uri: URI, version: 7, text: 'example : 1 = 1 := by\n  \n' };
  editor.say({ method: 'textDocument/didOpen', params: { textDocument } });
  await server.next(({ method }) => method === 'textDocument/didOpen');
  return { ...both, commands: result.capabilities.executeCommandProvider.commands as string[] };
}

const askForActions = (id: number, only?: string[]) => ({
  id,
  method: 'textDocument/codeAction',
  params: { textDocument: { uri: URI }, range: { start: AT, end: AT }, context: { diagnostics: [], only } },
});

test('bytes that are no message, and all behind them, pass as they are', async () => {
  const { bytes } = connect();
  const out: Buffer[] = [];
  bytes.fromProxy.on('data', (chunk: Buffer) => out.push(chunk));
  const strange = Buffer.from(`no header at all\r\n\r\n${'x'.repeat(2_000)}`);
  bytes.fromServer.write(strange.subarray(0, 10));
  bytes.fromServer.write(strange.subarray(10));
  bytes.fromServer.write(Buffer.from('the end'));
  await expect.poll(() => Buffer.concat(out).toString()).toBe(`${strange.toString()}the end`);
});

test('what the editor does not read is not heaped up here', async () => {
  const { bytes } = connect();
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'x', params: 'y'.repeat(100_000) }));
  const frame = Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
  let written = 0;
  bytes.fromProxy.pause();
  for (; written < 200 && bytes.fromServer.write(frame); written++)
    await new Promise((resolve) => setImmediate(resolve));
  expect(written).toBeLessThan(200);
  bytes.fromProxy.resume();
  await expect.poll(() => bytes.fromServer.writableNeedDrain).toBe(false);
});

test('commands have names that no other proxy has', async () => {
  const { commands } = await session();
  expect(commands).toHaveLength(3);
  for (const command of commands) expect(command).toMatch(/^stp\.suggest\.(?:step|search|explain)\.[0-9a-f]{8}$/u);
});

test('an editor that asks for other kinds of actions gets the answer of the server alone', async () => {
  const { editor, server } = await session();
  editor.say(askForActions(1, ['source.organizeImports']));
  await server.next(({ id }) => id === 1);
  server.say({ id: 1, result: [] });
  expect((await editor.next(({ id }) => id === 1)).result).toEqual([]);
  expect(server.heard.filter(({ method }) => method === '$/lean/plainGoal')).toEqual([]);
});

test('a goal that the server does not tell in time is no longer asked for', async () => {
  const { editor, server } = await session();
  editor.say(askForActions(2));
  await server.next(({ id }) => id === 2);
  server.say({ id: 2, result: [] });
  const { id } = await server.next(({ method }) => method === '$/lean/plainGoal');
  expect((await editor.next((one) => one.id === 2)).result).toEqual([]);
  expect((await server.next(({ method }) => method === '$/cancelRequest')).params).toEqual({ id });
});

test('the edit is of the version that was read, so that the editor can refuse it', async () => {
  const suggestions = [{ text: 'rfl', class: 'done', remaining: 0, source: 'list' }];
  const { editor, commands } = await session(Promise.resolve({ suggestions, unchecked: null }));
  const command = commands.find((one) => one.includes('.step.'))!;
  editor.say({
    id: 3,
    method: 'workspace/executeCommand',
    params: { command, arguments: [{ uri: URI, position: AT }] },
  });
  const { id, params } = await editor.next(({ method }) => method === 'workspace/applyEdit');
  expect(params.edit.documentChanges[0].textDocument).toEqual({ uri: URI, version: 7 });
  editor.say({ id, result: { applied: false } });
  const { params: told } = await editor.next(({ method }) => method === 'window/showMessage');
  expect(told.message).toContain('did not take');
});

test('an action of ours is whole when the editor asks for the rest of it; those of the server are its own', async () => {
  const { editor, server, commands } = await session();
  const ours = { title: 'Suggest next step', command: { title: '', command: commands[0], arguments: [] } };
  editor.say({ id: 4, method: 'codeAction/resolve', params: ours });
  expect((await editor.next(({ id }) => id === 4)).result).toEqual(ours);
  editor.say({ id: 5, method: 'codeAction/resolve', params: { title: 'theirs', data: 1 } });
  await server.next(({ id }) => id === 5);
  expect(server.heard.some(({ id }) => id === 4)).toBe(false);
});
