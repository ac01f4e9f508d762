/**
 * A proxy between an editor and a Lean server. Messages pass as they are, in both directions and in their order. Changed are
 * two answers of the server, on what it can do and on code actions, which get ours beside its own; answered here is what is
 * asked about these actions alone.
 */
import { randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { readFrames } from '@stp/lean-verifier';
import { type Diagnostic, type Document, Documents, errorsOf, type Json } from './documents.ts';
import { type EditPlace, editPlace, type Position } from './place.ts';
import type { ServedAnswer, SuggesterProcess } from './suggester-process.ts';

const COMMANDS = 'stp.suggest.';
/** VS Code has one server for each project, and refuses a second one's commands of the same names. */
const OF_THIS_PROXY = randomBytes(4).toString('hex');
const STEP = `${COMMANDS}step.${OF_THIS_PROXY}`;
const SEARCH = `${COMMANDS}search.${OF_THIS_PROXY}`;
const EXPLAIN = `${COMMANDS}explain.${OF_THIS_PROXY}`;
const TITLES: Readonly<Record<string, string>> = {
  [STEP]: 'Suggest next step',
  [SEARCH]: 'Search for a proof',
  [EXPLAIN]: 'Explain why it fails',
};
/** Kind of the actions: what an editor asks for may leave it out. */
const KIND = 'quickfix';
/** Prefix of requests and progress that are the proxy's own. */
const OWN = 'stp-suggest-';
const OWN_TEXT = Buffer.from(OWN);
/** Longest wait for the goal at a cursor before actions are offered without it. */
const GOAL_WAIT_MS = 1_000;
/** Time for the checks of one step: a person watches the progress, and can cancel it. */
const ANSWER_SECONDS = 10;
const INFORMATION = 3;
const WARNING = 2;
const INTERNAL_ERROR = -32603;
const REQUEST_CANCELLED = -32800;

export interface ProxyOptions {
  readonly editor: { readonly input: Readable; readonly output: Writable };
  readonly server: { readonly input: Writable; readonly output: Readable };
  readonly suggester: Pick<SuggesterProcess, 'ask' | 'start'>;
  readonly searchSeconds: number;
  /** Hears what goes wrong here, for a log; no such thing ends what is passed on. */
  readonly onError: (error: unknown) => void;
}

interface Asked {
  readonly uri: string;
  readonly position: Position;
}

type Id = number | string;

/** Connects both sides; they end by themselves. */
export function startProxy({ editor, server, suggester, searchSeconds, onError }: ProxyOptions): void {
  const documents = new Documents();
  /** Requests of the proxy to either side. */
  const own = new Map<string, (result: Json) => void>();
  const actionsAsked = new Map<Id, Asked>();
  const running = new Map<Id, AbortController>();
  const tokens = new Map<Id, AbortController>();
  let initializeId: Id | null = null;
  let canShowProgress = false;
  let canEditVersions = false;
  let count = 0;

  const toEditor = (message: object): void =>
    write(editor.output, Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })));
  const show = (type: number, message: string): void =>
    toEditor({ method: 'window/showMessage', params: { type, message } });

  /** Null if it is answered with an error, or not in time, when it is cancelled. */
  function ask(to: Writable, method: string, params: object, waitMs?: number): Promise<Json> {
    const id = `${OWN}${count++}`;
    const { promise, resolve } = Promise.withResolvers<Json>();
    const giveUp = (): void => {
      resolve(null);
      write(to, Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } })));
    };
    const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
    own.set(id, (result) => {
      clearTimeout(timer);
      resolve(result);
    });
    write(to, Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params })));
    return promise;
  }

  const goalsAt = async ({ uri, position }: Asked, waitMs?: number): Promise<readonly string[] | null> =>
    (await ask(server.input, '$/lean/plainGoal', { textDocument: { uri }, position }, waitMs))?.goals ?? null;

  /** True for what the other side is not to get. */
  function isAnswerToOwn(message: Json): boolean {
    if (typeof message.id !== 'string' || !message.id.startsWith(OWN) || message.method !== undefined) return false;
    own.get(message.id)?.(message.result ?? null);
    own.delete(message.id);
    return true;
  }

  function fromEditor(body: Buffer): void {
    // Found in few messages: only these are read before they are passed on.
    const mayBeOurs = body.includes(OWN_TEXT) || body.includes(COMMANDS) || body.includes('$/cancelRequest');
    if (mayBeOurs && isForUs(parse(body))) return;
    write(server.input, body);
    const message = parse(body);
    const { method, params, id } = message ?? {};
    if (method === 'initialize') {
      initializeId = id;
      canShowProgress = params?.capabilities?.window?.workDoneProgress === true;
      canEditVersions = params?.capabilities?.workspace?.workspaceEdit?.documentChanges === true;
    } else if (method === 'initialized') suggester.start();
    else if (
      method === 'textDocument/codeAction' &&
      params?.textDocument &&
      params.range &&
      wants(params.context?.only)
    )
      actionsAsked.set(id, { uri: params.textDocument.uri, position: params.range.end });
    else if (typeof method === 'string' && method.startsWith('textDocument/did')) documents.hear(method, params);
  }

  function isForUs(message: Json): boolean {
    if (message === null) return false;
    if (isAnswerToOwn(message)) return true;
    const { method, params, id } = message;
    if (method === 'codeAction/resolve' && Object.hasOwn(TITLES, params?.command?.command)) {
      // Editors ask for what an action without an edit still lacks. Lean resolves its own; ours are whole.
      toEditor({ id, result: params });
      return true;
    }
    if (method === 'workspace/executeCommand' && Object.hasOwn(TITLES, params?.command)) {
      void execute(id, params.command, params.arguments?.[0], params.workDoneToken);
      return true;
    }
    const cancelled =
      method === '$/cancelRequest'
        ? running.get(params?.id)
        : method === 'window/workDoneProgress/cancel'
          ? tokens.get(params?.token)
          : undefined;
    cancelled?.abort(new Error('cancelled'));
    return cancelled !== undefined;
  }

  function fromServer(body: Buffer): void {
    const isAwaited = initializeId !== null || actionsAsked.size > 0 || body.includes(OWN_TEXT);
    const message = isAwaited ? parse(body) : null;
    if (message !== null && isAnswerToOwn(message)) return;
    const isAnswer = message !== null && message.method === undefined;
    if (isAnswer && message.id === initializeId) {
      initializeId = null;
      toEditor({ id: message.id, ...withOurCapabilities(message) });
      return;
    }
    const asked = isAnswer ? actionsAsked.get(message.id) : undefined;
    if (asked !== undefined) {
      actionsAsked.delete(message.id);
      void offerActions(message, asked, body);
      return;
    }
    write(editor.output, body);
    if (body.includes('"textDocument/publishDiagnostics"')) documents.hearDiagnostics((message ?? parse(body))?.params);
  }

  async function offerActions(message: Json, asked: Asked, body: Buffer): Promise<void> {
    const document = documents.get(asked.uri);
    const errors = document === null ? [] : errorsOf(document, asked.position.line);
    const place = document === null ? null : editPlace(document.text, asked.position, errors.length > 0);
    // Where the tactic will begin: behind a hole no goal is left.
    const goals = await goalsAt({ uri: asked.uri, position: place?.range.start ?? asked.position }, GOAL_WAIT_MS);
    const offered = [
      ...(goals === null || goals.length > 0 ? [STEP, SEARCH] : []),
      ...(errors.length > 0 || goals?.length ? [EXPLAIN] : []),
    ];
    if (document === null || (goals === null && errors.length === 0) || offered.length === 0) {
      write(editor.output, body);
      return;
    }
    const ours = offered.map((command) => ({
      title: TITLES[command],
      kind: KIND,
      command: { title: TITLES[command], command, arguments: [asked] },
    }));
    // An error of the server leaves ours.
    toEditor({ id: message.id, result: [...ours, ...(Array.isArray(message.result) ? message.result : [])] });
  }

  async function execute(id: Id, command: string, asked: Asked | undefined, given: Id | undefined): Promise<void> {
    const cancel = new AbortController();
    running.set(id, cancel);
    const progress = await beginProgress(TITLES[command]!, given, cancel);
    try {
      const document = documents.get(asked?.uri ?? '');
      if (document === null) throw new Error('the document is not open');
      if (command === EXPLAIN) await explain(asked!, document);
      else await suggest(asked!, document, command === SEARCH, cancel.signal, progress.say);
      toEditor({ id, result: null });
    } catch (error) {
      const isCancelled = cancel.signal.aborted;
      if (!isCancelled) {
        onError(error);
        show(WARNING, (error as Error).message);
      }
      toEditor({
        id,
        error: { code: isCancelled ? REQUEST_CANCELLED : INTERNAL_ERROR, message: (error as Error).message },
      });
    } finally {
      running.delete(id);
      progress.end();
    }
  }

  async function suggest(
    asked: Asked,
    document: Document,
    isSearch: boolean,
    signal: AbortSignal,
    say: (text: string) => void,
  ): Promise<void> {
    const { version, text } = document;
    const isBroken = errorsOf(document, asked.position.line).length > 0;
    const place = editPlace(text, asked.position, isBroken);
    const answer = await suggester.ask(
      {
        context: place.context,
        prefix: place.prefix,
        search_seconds: isSearch ? searchSeconds : 0,
        answer_seconds: ANSWER_SECONDS,
      },
      signal,
      (kind, data) => {
        if (kind === 'suggestion') say(`${data.class}: ${data.text.split('\n')[0]}`);
        if (kind === 'search') say(`${data.expansions} states`);
      },
    );
    signal.throwIfAborted();
    const best = answer.suggestions.find((one) => one.class === 'done' || (!isSearch && one.class === 'valid'));
    if (best === undefined) return show(INFORMATION, nothingFound(answer, isSearch));
    if (documents.get(asked.uri)?.version !== version)
      return show(INFORMATION, 'The text has changed meanwhile; ask again.');
    await applyEdit({ uri: asked.uri, version }, place, best.text);
    const left = best.remaining === 0 ? 'closes the goal' : `${best.remaining} goals left`;
    say(`${best.text.split('\n')[0]} (${best.source}, ${left})`);
  }

  /** An editor that knows versions refuses the edit where the text has changed since, and this proxy has not yet heard of it. */
  async function applyEdit(
    textDocument: { readonly uri: string; readonly version: number },
    place: EditPlace,
    tactic: string,
  ): Promise<void> {
    const edits = [{ range: place.range, newText: place.newText(tactic) }];
    const edit = canEditVersions
      ? { documentChanges: [{ textDocument, edits }] }
      : { changes: { [textDocument.uri]: edits } };
    const result = await ask(editor.output, 'workspace/applyEdit', { label: 'Suggestion', edit });
    if (result?.applied !== true) show(WARNING, 'The editor did not take the suggestion.');
  }

  async function explain(asked: Asked, document: Document): Promise<void> {
    const goals = (await goalsAt(asked)) ?? [];
    const errors = errorsOf(document, asked.position.line).map(({ message }: Diagnostic) => message);
    const parts = [...errors, goals.length === 0 ? 'No goal is left here.' : `Goal:\n${goals.join('\n\n')}`];
    show(INFORMATION, parts.join('\n\n'));
  }

  async function beginProgress(title: string, given: Id | undefined, cancel: AbortController) {
    const token = given ?? `${OWN}progress-${count++}`;
    const isShown = given !== undefined || canShowProgress;
    if (isShown && given === undefined) await ask(editor.output, 'window/workDoneProgress/create', { token });
    tokens.set(token, cancel);
    const tell = (value: object): void => {
      if (isShown) toEditor({ method: '$/progress', params: { token, value } });
    };
    tell({ kind: 'begin', title, cancellable: true });
    return {
      say: (message: string) => tell({ kind: 'report', message }),
      end: () => {
        tokens.delete(token);
        tell({ kind: 'end' });
      },
    };
  }

  /**
   * Follows a stream of messages. From the first bytes that are no message of the protocol on, it passes bytes. The input waits
   * where the output does.
   */
  function follow(input: Readable, output: Writable, onBody: (body: Buffer) => void): void {
    let isBroken = false;
    const push = readFrames(onBody, (why, unread) => {
      isBroken = true;
      output.write(unread);
      onError(new Error(why));
    });
    input.on('data', (chunk: Buffer) => {
      if (isBroken) output.write(chunk);
      else push(chunk);
      if (output.writableNeedDrain) input.pause();
    });
    output.on('drain', () => input.resume());
    input.on('end', () => output.end());
    output.on('error', onError);
  }
  follow(editor.input, server.input, fromEditor);
  follow(server.output, editor.output, fromServer);
}

/** Whether an editor that asks for these kinds of actions takes ours; it may ask while a file is saved, for what it then does by itself. */
function wants(only: Json): boolean {
  return !Array.isArray(only) || only.some((kind) => kind === '' || kind === KIND);
}

function withOurCapabilities(message: Json): { result?: unknown; error?: unknown } {
  if (message.result?.capabilities === undefined)
    return { ...(message.error ? { error: message.error } : { result: message.result }) };
  const { capabilities, ...result } = message.result;
  const commands = [...(capabilities.executeCommandProvider?.commands ?? []), ...Object.keys(TITLES)];
  return {
    result: {
      ...result,
      capabilities: {
        ...capabilities,
        codeActionProvider: capabilities.codeActionProvider || true,
        executeCommandProvider: { workDoneProgress: true, ...capabilities.executeCommandProvider, commands },
      },
    },
  };
}

function nothingFound({ suggestions, unchecked }: ServedAnswer, isSearch: boolean): string {
  if (unchecked !== null) return `Nothing can be suggested here: ${unchecked}`;
  if (isSearch) return 'No proof was found in this time.';
  return suggestions.length === 0 ? 'No tactic was found here.' : `None of ${suggestions.length} tactics works here.`;
}

function write(output: Writable, body: Buffer): void {
  // One write: a message is never torn by another.
  output.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
}

function parse(body: Buffer): Json {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}
