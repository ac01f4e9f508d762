/** Errors with a status that says whether a retry can help. Only this file makes them from other errors. */
import { StpError } from '@stp/base';
import { CLIENT_GONE_STATUS, type WorkEndings } from '@stp/http';

/** Maximum bytes of a request: a file with its imports and comments. Mathlib's longest has a third of this. */
export const BODY_BYTES_MAX = 4 * 1024 * 1024;
/** When a refused client may try again, s. */
const RETRY_AFTER_SECONDS = 1;

export class HttpError extends Error {
  readonly status: number;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, message: string, retryAfterSeconds: number | null = null) {
    super(message);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const unauthorised = (): HttpError =>
  new HttpError(401, 'The key is wrong or missing: send `Authorization: Bearer KEY`.');
export const foreignHost = (): HttpError =>
  new HttpError(403, 'Without keys only this machine is served, under the names of this machine.');

export const stale = (why: string): HttpError => new HttpError(503, `${why}.`, RETRY_AFTER_SECONDS);

export const workEndings: WorkEndings = {
  tooManyRequests: (most) =>
    new HttpError(
      429,
      `${most} requests are under way, which is this server's limit. Try again shortly.`,
      RETRY_AFTER_SECONDS,
    ),
  clientLeft: () => new HttpError(CLIENT_GONE_STATUS, 'The client left.'),
  tookTooLong: (limitMs) => new HttpError(504, `The request took longer than ${limitMs / 1_000} s.`),
  shuttingDown: () => new HttpError(503, 'The server is shutting down.', RETRY_AFTER_SECONDS),
};

/** Converts any thrown value. `report` receives details that the client does not see. */
export function httpErrorOf(error: unknown, report: (error: unknown) => void): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof StpError) {
    if (error.facts.timedOut === true) return new HttpError(504, error.message);
    report(error);
    return new HttpError(
      error.retryable ? 503 : 500,
      `${error.code}: ${error.message}`,
      error.retryable ? RETRY_AFTER_SECONDS : null,
    );
  }
  const { statusCode, code, message } = error as { statusCode?: unknown; code?: unknown; message?: unknown };
  if (statusCode === 415) return new HttpError(415, 'Send JSON, with `Content-Type: application/json`.');
  if (statusCode === 413) return new HttpError(413, `The body is too large: at most ${BODY_BYTES_MAX} bytes are read.`);
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY' || error instanceof SyntaxError)
    return new HttpError(400, 'The body is not JSON.');
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new HttpError(statusCode, String(message));
  report(error);
  return new HttpError(500, 'The server failed; its log says more.');
}
