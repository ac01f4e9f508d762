/**
 * A worker of Lean's language server, used directly: one process, one document whose text is replaced again and again.
 * Lean reuses the text before the first change, so a header is imported once.
 *
 * This is the worker (`lean --worker`), not the server (`lean --server`), which would start this worker and forward
 * everything. Measured side by side with Lean 4.35 on two busy cores, three times each: to the end of a header of
 * `Init` 0.92–1.05 s against 1.35–1.51 s (0.25 s for the worker if nothing else runs), then 3–5 ms for `#check Nat` and
 * 20–28 ms for a theorem by `omega` with both; 230 MB against 325 MB, and one process to watch against two. The worker
 * uses 236 MB both after 100 and after 600 theorems. The document's name is not a file, so Lean looks for no Lake
 * project and starts no `lake`.
 */
import {
  createMessageConnection,
  ErrorCodes,
  type MessageConnection,
  ResponseError,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import {
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
} from 'vscode-languageserver-protocol';
import { serverOptions } from '../command-options.ts';
import { type LeanExit, type LeanProcess, type ProcessPlace, startLean } from '../spawn.ts';
import { DiagnosticReader, type OnMessage } from './diagnostics.ts';
import { FrameReader } from './frames.ts';
import { TextPositions } from './positions.ts';

const DOCUMENT_URI = 'untitled:stp.lean';
const LANGUAGE = 'lean4';
/** A broken pipe is seen before the end of the process that broke it: milliseconds, and seconds on a machine that is overrun. */
const END_GRACE_MS = 10_000;
/** Error codes of a write after the reader has closed the pipe. */
const BROKEN_PIPE: ReadonlySet<string> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);
/** Errors of a request that the connection, and not its other side, has answered. */
const CONNECTION_ERRORS: ReadonlySet<number> = new Set([
  ErrorCodes.PendingResponseRejected,
  ErrorCodes.ConnectionInactive,
  ErrorCodes.MessageReadError,
  ErrorCodes.MessageWriteError,
]);

export interface ServerWorker {
  readonly process: LeanProcess;
  /** URI of its document. */
  readonly uri: string;
  /**
   * Makes this the text and reads it to its end. True when that is done, every message of it told; false where the process
   * ended before, or is ended because it answers otherwise. Never rejects. One at a time.
   */
  elaborate(text: string, onMessage: OnMessage): Promise<boolean>;
  /** Asks about the text as it is now. Null where the process ended before; rejects with what the server answers else. */
  ask(method: string, parameters: object): Promise<unknown>;
  /** Says something that has no answer. */
  tell(method: string, parameters: object): void;
}

/** Starts the process; it reads nothing before the first `elaborate`. */
export async function startWorker(place: ProcessPlace, memoryBytesMax: number): Promise<ServerWorker | LeanExit> {
  const words = ['--worker', ...(await serverOptions(place)), DOCUMENT_URI];
  const process = startLean({ ...place, arguments: words, memoryBytesMax });
  return 'pid' in process ? speakTo(process) : process;
}

function speakTo(process: LeanProcess): ServerWorker {
  const connection = connect(process);
  let version = 0;
  let reader: DiagnosticReader | null = null;
  let gone = false;
  /** Callers who wait for an answer. A race with the end itself would hold on to every answer until the process ends. */
  const waiting = new Set<(ended: null) => void>();
  void process.ended.then(() => {
    gone = true;
    connection.dispose(); // What is still asked is never answered.
    for (const leave of waiting) leave(null);
  });
  connection.onNotification(PublishDiagnosticsNotification.method, (parameters) => reader?.push(parameters));

  async function ask(method: string, parameters: object): Promise<unknown> {
    if (gone) return null;
    const { promise: ended, resolve: leave } = Promise.withResolvers<null>();
    waiting.add(leave);
    const answer = connection.sendRequest(method, parameters);
    answer.catch(() => {}); // After the process has ended there is no listener.
    try {
      const won = await Promise.race([answer, ended]);
      return gone ? null : won;
    } catch (error) {
      // The answer may be the connection's own complaint that its other side has gone.
      if (isOfConnection(error) && (await hasEnded(ended))) return null;
      throw error;
    } finally {
      waiting.delete(leave);
    }
  }

  function tell(method: string, parameters: object): void {
    connection.sendNotification(method, parameters).catch(() => {}); // The process has gone: its end tells.
  }

  return {
    process,
    uri: DOCUMENT_URI,
    ask,
    tell,
    async elaborate(text, onMessage) {
      version += 1;
      reader = new DiagnosticReader(version, new TextPositions(text), onMessage);
      const document = { uri: DOCUMENT_URI, version };
      if (version === 1) {
        tell(DidOpenTextDocumentNotification.method, { textDocument: { ...document, languageId: LANGUAGE, text } });
      } else {
        tell(DidChangeTextDocumentNotification.method, { textDocument: document, contentChanges: [{ text }] });
      }
      try {
        if ((await ask('textDocument/waitForDiagnostics', document)) !== null) return true;
        process.end('crashed', 'it did not say that it has read the text');
      } catch (error) {
        // Lean never answers with an error here: a process that does is not used again.
        process.end('crashed', `it would not read the text: ${(error as Error).message}`);
      }
      return false;
    },
  };
}

function connect(process: LeanProcess): MessageConnection {
  const connection = createMessageConnection(new FrameReader(process.stdout), new StreamMessageWriter(process.stdin));
  // Bytes that are not a message of the protocol, or never end, do not come from Lean. A broken pipe does not say how
  // its other side ended; to end the process for that would hide that something else killed it.
  connection.onError(([error]) => {
    if (!BROKEN_PIPE.has((error as NodeJS.ErrnoException).code ?? '')) process.end('crashed', error.message);
  });
  // It asks an editor to draw itself anew.
  connection.onRequest(() => null);
  connection.listen();
  const nothing = { processId: null, rootUri: null, capabilities: {} };
  // A worker does not answer this request: the server has answered its client before the worker starts.
  connection
    .sendRequest(InitializeRequest.method, { ...nothing, initializationOptions: { hasWidgets: false } })
    .catch(() => {});
  return connection;
}

function isOfConnection(error: unknown): boolean {
  return !(error instanceof ResponseError) || CONNECTION_ERRORS.has(error.code);
}

/** Where it has not, it has closed its output and lives on, which Lean does not. */
async function hasEnded(ended: Promise<null>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, END_GRACE_MS, false);
  });
  try {
    return await Promise.race([ended.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
