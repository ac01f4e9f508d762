/**
 * A worker of Lean's language server, used directly: one process with one document, whose text is replaced again and
 * again. Lean reuses the text before the first change, so a header is imported once.
 *
 * This is the worker (`lean --worker`), not the server (`lean --server`), which would only start this worker and
 * forward its messages. Without the server a header imports faster, and there is one process less to watch. The
 * document's name is not a file, so Lean looks for no Lake project and starts no `lake`.
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
import { type LeanExit, type LeanProcess, type ProcessContext, startLean } from '../spawn.ts';
import { DiagnosticReader, type OnMessage } from './diagnostics.ts';
import { FrameReader } from './frames.ts';
import { TextPositions } from './positions.ts';

const DOCUMENT_URI = 'untitled:stp.lean';
const LANGUAGE = 'lean4';
/**
 * How long to wait for the process's end after a broken pipe, which is noticed first: by milliseconds, or by seconds on
 * an overloaded machine.
 */
const END_GRACE_MS = 10_000;
/** Error codes of a write after the reader has closed the pipe. */
const BROKEN_PIPE: ReadonlySet<string> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);
/** Codes of errors that come from the connection itself, not from its other side. */
const CONNECTION_ERRORS: ReadonlySet<number> = new Set([
  ErrorCodes.PendingResponseRejected,
  ErrorCodes.ConnectionInactive,
  ErrorCodes.MessageReadError,
  ErrorCodes.MessageWriteError,
]);

export interface ServerWorker {
  readonly process: LeanProcess;
  readonly uri: string;
  /**
   * Replaces the document by this text and reads it to its end. Resolves with true once all its messages have been
   * reported, with false if the process ended before, or was ended for a wrong answer. Never rejects. Only one call at
   * a time.
   */
  elaborate(text: string, onMessage: OnMessage): Promise<boolean>;
  /**
   * Sends a request about the present text. Resolves with null if the process ends before; rejects with the server's
   * error.
   */
  ask(method: string, parameters: object): Promise<unknown>;
  /** Sends a notification, which has no answer. */
  tell(method: string, parameters: object): void;
}

/** Starts the process. It reads nothing before the first `elaborate`. */
export async function startWorker(
  processContext: ProcessContext,
  memoryBytesMax: number,
): Promise<ServerWorker | LeanExit> {
  const words = ['--worker', ...(await serverOptions(processContext)), DOCUMENT_URI];
  const process = startLean({ ...processContext, arguments: words, memoryBytesMax });
  return 'pid' in process ? speakTo(process) : process;
}

function speakTo(process: LeanProcess): ServerWorker {
  const connection = connect(process);
  let version = 0;
  let reader: DiagnosticReader | null = null;
  let gone = false;
  /**
   * Callers that wait for an answer. `Promise.race` with the process's end would keep every answer in memory until that
   * end.
   */
  const waiting = new Set<(ended: null) => void>();
  void process.ended.then(() => {
    gone = true;
    connection.dispose(); // Pending requests are never answered.
    for (const leave of waiting) leave(null);
  });
  connection.onNotification(PublishDiagnosticsNotification.method, (parameters) => reader?.push(parameters));

  async function ask(method: string, parameters: object): Promise<unknown> {
    if (gone) return null;
    const { promise: ended, resolve: leave } = Promise.withResolvers<null>();
    waiting.add(leave);
    const answer = connection.sendRequest(method, parameters);
    answer.catch(() => {}); // After the process has ended nothing else handles a rejection.
    try {
      const won = await Promise.race([answer, ended]);
      return gone ? null : won;
    } catch (error) {
      // The error may come from the connection, because its other side is gone.
      if (isOfConnection(error) && (await hasEnded(ended))) return null;
      throw error;
    } finally {
      waiting.delete(leave);
    }
  }

  function tell(method: string, parameters: object): void {
    connection.sendNotification(method, parameters).catch(() => {}); // The process is gone; its end is reported elsewhere.
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
        // Lean never answers this request with an error. A process that does is not used again.
        process.end('crashed', `it would not read the text: ${(error as Error).message}`);
      }
      return false;
    },
  };
}

function connect(process: LeanProcess): MessageConnection {
  const connection = createMessageConnection(new FrameReader(process.stdout), new StreamMessageWriter(process.stdin));
  // Lean never sends bytes that are not a message of the protocol, or a message without an end. A broken pipe does not
  // tell how the process ended; ending it here would hide that something else killed it.
  connection.onError(([error]) => {
    if (!BROKEN_PIPE.has((error as NodeJS.ErrnoException).code ?? '')) process.end('crashed', error.message);
  });
  // Answers Lean's requests to refresh an editor's display.
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

/** Whether the process has ended. A process that closed its output but lives on is not behaving like Lean. */
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
