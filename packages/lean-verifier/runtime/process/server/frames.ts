/**
 * Reads messages of the protocol's base layer from a byte stream: `Content-Length: N`, an empty line, N bytes of JSON.
 * The writer elaborates untrusted text, so an overlong header or an excessive length stops the reader for good.
 * Otherwise it would search a flood of bytes again with every chunk.
 */

import type { Readable } from 'node:stream';
import { AbstractMessageReader, type DataCallback, type Disposable, type MessageReader } from 'vscode-jsonrpc/node';

/** Lean's headers have about twenty bytes. */
const HEAD_BYTES_MAX = 1_024;
/** Maximum bytes of a message body: the output limit of a whole run. */
const BODY_BYTES_MAX = 67_108_864;
const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = /^content-length: *(\d{1,9})$/im;

/**
 * Takes chunks. Calls `onBody` for each message. If the bytes are not a message, calls `onBroken` once with them and
 * reads nothing further.
 */
export function readFrames(
  onBody: (body: Buffer) => void,
  onBroken: (why: string, unread: Buffer) => void,
): (chunk: Buffer) => void {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  /** Length in bytes of the body that is being read; null while its header is being read. */
  let bodyBytes: number | null = null;
  let broken = false;

  function giveUp(why: string, unread: Buffer): void {
    broken = true;
    pending = [];
    onBroken(why, unread);
  }

  /** Consumes buffered bytes. Returns true if there may be more to consume. */
  function step(): boolean {
    if (bodyBytes !== null && pendingBytes < bodyBytes) return false;
    // Many messages may arrive in one chunk: do not copy the rest for each of them.
    const bytes = pending.length === 1 ? pending[0]! : Buffer.concat(pending);
    if (bodyBytes !== null) {
      keep(bytes.subarray(bodyBytes));
      const body = bytes.subarray(0, bodyBytes);
      bodyBytes = null;
      onBody(body);
      return true;
    }
    keep(bytes);
    const end = bytes.subarray(0, HEAD_BYTES_MAX).indexOf(HEAD_END);
    if (end < 0 && bytes.length < HEAD_BYTES_MAX) return false;
    const length = end < 0 ? undefined : LENGTH.exec(bytes.toString('latin1', 0, end).replaceAll('\r', ''))?.[1];
    if (length === undefined || Number(length) > BODY_BYTES_MAX) {
      giveUp('no message of the protocol', bytes);
      return false;
    }
    bodyBytes = Number(length);
    keep(bytes.subarray(end + HEAD_END.length));
    return true;
  }

  function keep(bytes: Buffer): void {
    pending = bytes.length === 0 ? [] : [bytes];
    pendingBytes = bytes.length;
  }

  return (chunk) => {
    if (broken) return;
    pending.push(chunk);
    pendingBytes += chunk.length;
    while (!broken && step());
  };
}

/** The same as a reader for a JSON-RPC connection. Broken frames and invalid JSON are reported as errors. */
export class FrameReader extends AbstractMessageReader implements MessageReader {
  readonly #stream: Readable;

  constructor(stream: Readable) {
    super();
    this.#stream = stream;
  }

  listen(callback: DataCallback): Disposable {
    const push = readFrames(
      (body) => {
        try {
          callback(JSON.parse(body.toString('utf8')));
        } catch (error) {
          this.fireError(error);
        }
      },
      (why) => this.fireError(new Error(why)),
    );
    this.#stream.on('data', push);
    this.#stream.on('close', () => this.fireClose());
    return { dispose: () => this.#stream.off('data', push) };
  }
}
