/**
 * A proxy between an editor and a Lean server. It forwards messages in both directions, unchanged and in order, with
 * two exceptions: it adds its actions to the server's answers about capabilities and code actions, and it answers
 * requests about its own actions (`actions.ts`).
 */
import type { Readable, Writable } from 'node:stream';
import { type ActionPosition, Actions, COMMANDS, KIND, TITLES } from './actions.ts';
import { Documents, type Json } from './documents.ts';
import type { SuggesterProcess } from './suggester-process.ts';
import { follow, type Id, OWN_TEXT, parse, Wire, write } from './wire.ts';

export interface ProxyOptions {
  readonly editor: { readonly input: Readable; readonly output: Writable };
  readonly server: { readonly input: Writable; readonly output: Readable };
  readonly suggester: Pick<SuggesterProcess, 'ask' | 'start'>;
  readonly searchSeconds: number;
  /** Receives errors of the proxy, for a log. They do not interrupt forwarding. */
  readonly onError: (error: unknown) => void;
}

/** Connects both sides, which end by themselves. */
export function startProxy(options: ProxyOptions): void {
  const { editor, server, onError } = options;
  const proxy = new LanguageProxy(options);
  follow(editor.input, server.input, (body) => proxy.fromEditor(body), onError);
  follow(server.output, editor.output, (body) => proxy.fromServer(body), onError);
}

class LanguageProxy {
  readonly #wire: Wire;
  readonly #actions: Actions;
  readonly #suggester: ProxyOptions['suggester'];
  readonly #documents = new Documents();
  /** Code actions requested by the editor, by request. */
  readonly #actionsAsked = new Map<Id, ActionPosition>();
  #initializeId: Id | null = null;

  constructor({ editor, server, suggester, searchSeconds, onError }: ProxyOptions) {
    this.#wire = new Wire(editor.output, server.input);
    this.#actions = new Actions(this.#wire, this.#documents, { suggester, searchSeconds, onError });
    this.#suggester = suggester;
  }

  fromEditor(body: Buffer): void {
    // Only messages with these texts are parsed before forwarding; they are few.
    const mayBeOurs = body.includes(OWN_TEXT) || body.includes(COMMANDS) || body.includes('$/cancelRequest');
    if (mayBeOurs && this.#isForUs(parse(body))) return;
    write(this.#wire.server, body);
    const { method, params, id } = parse(body) ?? {};
    if (method === 'initialize') {
      this.#initializeId = id;
      this.#actions.editor = {
        canShowProgress: params?.capabilities?.window?.workDoneProgress === true,
        canEditVersions: params?.capabilities?.workspace?.workspaceEdit?.documentChanges === true,
      };
    } else if (method === 'initialized') this.#suggester.start();
    else if (
      method === 'textDocument/codeAction' &&
      params?.textDocument &&
      params.range &&
      wants(params.context?.only)
    )
      this.#actionsAsked.set(id, { uri: params.textDocument.uri, position: params.range.end });
    else if (typeof method === 'string' && method.startsWith('textDocument/did')) this.#documents.hear(method, params);
  }

  /** Returns true for a message that the server must not get. */
  #isForUs(message: Json): boolean {
    if (message === null) return false;
    if (this.#wire.takesAnswer(message)) return true;
    const { method, params, id } = message;
    if (method === 'codeAction/resolve' && Object.hasOwn(TITLES, params?.command?.command)) {
      // Editors resolve actions without an edit. Lean resolves its own; ours are complete.
      this.#wire.toEditor({ id, result: params });
      return true;
    }
    if (method === 'workspace/executeCommand' && Object.hasOwn(TITLES, params?.command)) {
      void this.#actions.execute(id, params.command, params.arguments?.[0], params.workDoneToken);
      return true;
    }
    return this.#actions.cancel(method, params);
  }

  fromServer(body: Buffer): void {
    const isAwaited = this.#initializeId !== null || this.#actionsAsked.size > 0 || body.includes(OWN_TEXT);
    const message = isAwaited ? parse(body) : null;
    if (message !== null && this.#wire.takesAnswer(message)) return;
    const isAnswer = message !== null && message.method === undefined;
    if (isAnswer && message.id === this.#initializeId) {
      this.#initializeId = null;
      this.#wire.toEditor({ id: message.id, ...withOurCapabilities(message) });
      return;
    }
    const asked = isAnswer ? this.#actionsAsked.get(message.id) : undefined;
    if (asked !== undefined) {
      this.#actionsAsked.delete(message.id);
      void this.#offerActions(message, asked, body);
      return;
    }
    write(this.#wire.editor, body);
    if (body.includes('"textDocument/publishDiagnostics"'))
      this.#documents.hearDiagnostics((message ?? parse(body))?.params);
  }

  async #offerActions(message: Json, asked: ActionPosition, body: Buffer): Promise<void> {
    const ours = await this.#actions.at(asked);
    if (ours === null) return write(this.#wire.editor, body);
    // If the server answers with an error, only our actions remain.
    const theirs = Array.isArray(message.result) ? message.result : [];
    this.#wire.toEditor({ id: message.id, result: [...ours, ...theirs] });
  }
}

/**
 * Whether an editor that requests these kinds of actions accepts ours. While saving a file, editors request kinds to
 * apply automatically.
 */
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
