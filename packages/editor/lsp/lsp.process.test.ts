/**
 * Tests `bin/stp suggest lsp` as an editor sees it: a protocol client over standard input and output, the real Lean
 * server behind the proxy, and the suggester in a separate process. About half a minute of waiting.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { scratchFolder } from '@stp/lean-verifier/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  CancellationTokenSource,
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import {
  ApplyWorkspaceEditRequest,
  type CodeAction,
  CodeActionRequest,
  type Diagnostic,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  ExecuteCommandRequest,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  type TextEdit,
  WorkDoneProgressCreateRequest,
} from 'vscode-languageserver-protocol';

vi.setConfig({ testTimeout: 240_000 });

const MAIN = join(import.meta.dirname, '../../../cli/main.ts');
const URI = pathToFileURL(join(scratchFolder(), 'Session.lean')).href;
const FILE = [
  'def double : Nat → Nat',
  '  | 0 => 0',
  '  | n + 1 => double n + 2',
  '',
  'theorem double_eq (n : Nat) : double n = 2 * n := by',
  '  ',
  '',
  'theorem swap (p q r : Prop) : (p ∧ q) ∧ r → r ∧ (q ∧ p) := by',
  '  sorry',
  '',
  'theorem broken (n : Nat) : n + 0 = n := by',
  '  exact n',
  '',
  'theorem hard (a b c : Nat) : a ^ 3 + b ^ 3 = c ^ 3 → a * b * c = 0 := by',
  '  skip',
  '',
].join('\n');

let proxy: ChildProcess;
let editor: MessageConnection;
let text = FILE;
let version = 1;
let diagnostics: Diagnostic[] = [];
const progress: { kind: string; message?: string }[] = [];
const shown: string[] = [];
const tokens: (string | number)[] = [];

beforeAll(async () => {
  proxy = spawn(process.execPath, [MAIN, 'suggest', 'lsp', '--suggest=--sandbox=off'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  editor = createMessageConnection(new StreamMessageReader(proxy.stdout!), new StreamMessageWriter(proxy.stdin!));
  editor.onNotification(PublishDiagnosticsNotification.type, (params) => {
    if (params.version === version) diagnostics = params.diagnostics;
  });
  editor.onNotification('$/progress', ({ value }) => void progress.push(value));
  editor.onNotification('window/showMessage', ({ message }) => void shown.push(message));
  editor.onRequest(WorkDoneProgressCreateRequest.type, ({ token }) => void tokens.push(token));
  editor.onRequest('client/registerCapability', () => null);
  editor.onRequest(ApplyWorkspaceEditRequest.type, ({ edit }) => {
    for (const one of edit.changes![URI]!) apply(one);
    return { applied: true };
  });
  editor.listen();
  const { capabilities } = await editor.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: { window: { workDoneProgress: true } },
  });
  expect(capabilities.executeCommandProvider!.commands.map((name) => name.split('.')[2])).toContain('step');
  expect(capabilities.hoverProvider).toBe(true);
  await editor.sendNotification(InitializedNotification.type, {});
  const textDocument = { uri: URI, languageId: 'lean4', version, text };
  await editor.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
});

afterAll(() => {
  proxy.kill('SIGKILL');
});

/** Applies an edit like an editor and sends the change to the server. */
function apply({ range, newText }: TextEdit): void {
  const lines = text.split('\n');
  const offset = ({ line, character }: { line: number; character: number }): number =>
    lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + character;
  text = text.slice(0, offset(range.start)) + newText + text.slice(offset(range.end));
  version += 1;
  diagnostics = [];
  const textDocument = { uri: URI, version };
  void editor.sendNotification(DidChangeTextDocumentNotification.type, {
    textDocument,
    contentChanges: [{ range, text: newText }],
  });
}

/** Resolves when Lean has read the whole text. */
const untilRead = (): Promise<unknown> => editor.sendRequest('textDocument/waitForDiagnostics', { uri: URI, version });

async function actionsAt(line: number, character: number): Promise<CodeAction[]> {
  await untilRead();
  const at = { line, character };
  const context = { diagnostics: [] };
  const actions = await editor.sendRequest(CodeActionRequest.type, {
    textDocument: { uri: URI },
    range: { start: at, end: at },
    context,
  });
  return actions as CodeAction[];
}

const run = ({ command }: CodeAction): Promise<unknown> => editor.sendRequest(ExecuteCommandRequest.type, command!);
const errorsFrom = (from: number, to: number): string[] =>
  diagnostics
    .filter(({ severity, range }) => severity === 1 && range.start.line >= from && range.start.line < to)
    .map(({ message }) => String(message));

/** Returns the clock ticks that a process and its descendants have used. */
function ticksBelow(root: number): number {
  const stats = readdirSync('/proc').flatMap((name) => {
    try {
      // Behind the name in brackets: state, parent, …, user and system time as the 12th and 13th.
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
      return [{ pid: Number(name), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }];
    } catch {
      return [];
    }
  });
  const below = (pid: number): number =>
    stats.filter(({ parent }) => parent === pid).reduce((sum, one) => sum + one.ticks + below(one.pid), 0);
  return below(root) + (stats.find(({ pid }) => pid === root)?.ticks ?? 0);
}

/** Returns the suggester processes that the proxy has started. */
function suggesters(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      const parent = /^PPid:\s+(\d+)/mu.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1];
      return words.includes('serve') && words.includes('suggest') && parent === String(proxy.pid) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

describe('a session', () => {
  test('the first code action closes the goal, and Lean shows no error', async () => {
    const actions = await actionsAt(5, 2);
    expect(actions.map(({ title }) => title).slice(0, 2)).toEqual(['Suggest next step', 'Search for a proof']);
    await expect.poll(() => errorsFrom(4, 7)).not.toEqual([]);
    await run(actions[0]!);
    await untilRead();
    expect(text.split('\n')[5]).toMatch(/^ {2}induction n/u);
    await expect.poll(() => errorsFrom(4, 7)).toEqual([]);
    expect(progress[0]).toMatchObject({ kind: 'begin', title: 'Suggest next step', cancellable: true });
    expect(progress.at(-1)).toEqual({ kind: 'end' });
    expect(progress.some(({ kind }) => kind === 'report')).toBe(true);
  });

  test('the search fills a hole with a whole proof', { tags: ['slow'] }, async () => {
    const line = text.split('\n').findIndex((one) => one.trim() === 'sorry');
    const actions = await actionsAt(line, 4);
    await run(actions.find(({ title }) => title === 'Search for a proof')!);
    await untilRead();
    expect(text).not.toContain('sorry');
    await expect.poll(() => errorsFrom(line - 1, line + 2)).toEqual([]);
  });

  test('an error is explained by goal and message', async () => {
    const line = text.split('\n').findIndex((one) => one.includes('exact n'));
    const actions = await actionsAt(line, 4);
    await run(actions.find(({ title }) => title === 'Explain why it fails')!);
    expect(shown.at(-1)).toMatch(/mismatch[\s\S]*Goal:\n[\s\S]*⊢ n \+ 0 = n/u);
  });

  test('what is passed on is what the server says', { tags: ['slow'] }, async () => {
    const hover = await editor.sendRequest('textDocument/hover', {
      textDocument: { uri: URI },
      position: { line: 0, character: 5 },
    });
    expect(JSON.stringify(hover)).toContain('double');
    await expect(editor.sendRequest('no/such/method', {})).rejects.toThrow();
  });

  const CANCELS = [
    ['the request', '$/cancelRequest'],
    ['its progress', 'window/workDoneProgress/cancel'],
  ] as const;
  test.each(CANCELS)('a search ends when the editor cancels %s (%s)', { tags: ['slow'] }, async (_, method) => {
    const line = text.split('\n').findIndex((one) => one.trim() === 'skip');
    const actions = await actionsAt(line, 6);
    const [before, version0, begun] = [text, version, progress.length];
    const source = new CancellationTokenSource();
    const search = actions.find(({ title }) => title === 'Search for a proof')!.command!;
    const running = editor.sendRequest(ExecuteCommandRequest.type, search, source.token);
    const ended = running.then(
      () => null,
      ({ code }) => code,
    );
    // The search is in progress and reports its states.
    await expect.poll(() => progress.slice(begun).some((one) => one.message?.endsWith(' states'))).toBe(true);
    if (method === '$/cancelRequest') source.cancel();
    else await editor.sendNotification(method, { token: tokens.at(-1)! });
    expect(await ended).toBe(-32800);
    await expect.poll(() => progress.at(-1)).toEqual({ kind: 'end' });
    expect([text, version]).toEqual([before, version0]);
    const [suggester] = suggesters();
    let used = ticksBelow(suggester!);
    // A tick is a hundredth of a second, and a search uses them continuously.
    await expect
      .poll(
        () => {
          const now = ticksBelow(suggester!);
          const more = now - used;
          used = now;
          return more;
        },
        { interval: 1_000 },
      )
      .toBeLessThanOrEqual(5);
  });

  test('a killed suggester takes nothing with it, and comes again', { tags: ['slow'] }, async () => {
    for (const pid of suggesters()) process.kill(pid, 'SIGKILL');
    await expect.poll(() => suggesters()).toEqual([]);
    const line = text.split('\n').findIndex((one) => one.includes('exact n'));
    const hover = await editor.sendRequest('textDocument/hover', {
      textDocument: { uri: URI },
      position: { line: 0, character: 5 },
    });
    expect(JSON.stringify(hover)).toContain('double');
    const actions = await actionsAt(line, 2);
    await expect.poll(() => errorsFrom(line, line + 1)).not.toEqual([]);
    await run(actions[0]!);
    await untilRead();
    await expect.poll(() => errorsFrom(line - 1, line + 1)).toEqual([]);
  });

  test('ends with its editor, and nothing stays behind', async () => {
    const [started] = suggesters();
    expect(started).toBeDefined();
    const ended = new Promise((resolve) => proxy.once('exit', resolve));
    await editor.sendRequest(ShutdownRequest.type);
    await editor.sendNotification(ExitNotification.type);
    expect(await ended).toBe(0);
    await expect.poll(() => existsSync(`/proc/${started}`)).toBe(false);
  });
});
