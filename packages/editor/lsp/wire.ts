/** Sends and reads messages of the Language Server Protocol, and makes the proxy's own requests to either side. */
import type { Readable, Writable } from 'node:stream';
import { readFrames } from '@stp/lean-verifier';
import type { Json } from './documents.ts';

export type Id = number | string;

/** Prefix of ids of the proxy's own requests and progress. */
const OWN = 'stp-suggest-';
export const OWN_TEXT = Buffer.from(OWN);

export class Wire {
  readonly editor: Writable;
  readonly server: Writable;
  /** Requests without an answer yet, by id. */
  readonly #open = new Map<string, (result: Json) => void>();
  #count = 0;

  constructor(editor: Writable, server: Writable) {
    this.editor = editor;
    this.server = server;
  }

  newId(kind = ''): string {
    return `${OWN}${kind}${this.#count++}`;
  }

  toEditor(message: object): void {
    write(this.editor, bodyOf(message));
  }

  /** @param type as in `window/showMessage`: 2 for a warning, 3 for information */
  show(type: 2 | 3, message: string): void {
    this.toEditor({ method: 'window/showMessage', params: { type, message } });
  }

  /**
   * Sends a request and resolves with its result. Null if the answer is an error, or if there is none within `waitMs`;
   * then the request is cancelled.
   */
  ask(to: Writable, method: string, params: object, waitMs?: number): Promise<Json> {
    const id = this.newId();
    const { promise, resolve } = Promise.withResolvers<Json>();
    const giveUp = (): void => {
      resolve(null);
      write(to, bodyOf({ method: '$/cancelRequest', params: { id } }));
    };
    const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
    this.#open.set(id, (result) => {
      clearTimeout(timer);
      resolve(result);
    });
    write(to, bodyOf({ id, method, params }));
    return promise;
  }

  /** Processes the answer to a request of the proxy. Returns false for any other message. */
  takesAnswer({ id, method, result }: Json): boolean {
    if (typeof id !== 'string' || !id.startsWith(OWN) || method !== undefined) return false;
    this.#open.get(id)?.(result ?? null);
    this.#open.delete(id);
    return true;
  }
}

const bodyOf = (message: object): Buffer => Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));

/** Writes a message in a single piece, so that messages do not mix. */
export function write(output: Writable, body: Buffer): void {
  output.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
}

/** Returns the message, or null for text that is not JSON. */
export function parse(body: Buffer): Json {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}

/**
 * Reads messages from a stream. From the first bytes that are not a message of the protocol on, it forwards bytes.
 * Applies back-pressure from output to input.
 */
export function follow(
  input: Readable,
  output: Writable,
  onBody: (body: Buffer) => void,
  onError: (error: unknown) => void,
): void {
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
