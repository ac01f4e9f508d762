/**
 * Errors in the form that clients of Kimina's server read: `{detail}`, with a status that says whether a retry can
 * help. For an invalid body `detail` is FastAPI's list of problems. Only this file makes this form.
 */

import { HALF_CHARACTER, halfCharacterAt, StpError } from '@stp/base';
import { CLIENT_GONE_STATUS, type WorkEndings } from '@stp/http';
import type { z } from 'zod';
import { BODY_BYTES_MAX } from './limits.ts';
import type { HidePaths } from './private-paths.ts';

/** When a refused client may try again, s. */
const RETRY_AFTER_SECONDS = 1;
/** Maximum number of schema errors that are reported. */
const PROBLEMS_MAX = 20;

/** The parser refuses keys that would change the prototype of objects, at any depth. */
const NO_JSON = 'The body is not JSON, or holds a key that is not taken: `__proto__`, or `prototype` in `constructor`.';

export class ServiceError extends Error {
  readonly status: number;
  readonly detail: unknown;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, message: string, detail: unknown = message, retryAfterSeconds: number | null = null) {
    super(message);
    this.status = status;
    this.detail = detail;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const unauthorised = (): ServiceError =>
  new ServiceError(401, 'The key is wrong or missing: send `Authorization: Bearer KEY`.');

export const noFreeProcess = (waitMs: number): ServiceError =>
  new ServiceError(
    429,
    `No available REPLs: none came free within ${waitMs / 1_000} s.`,
    undefined,
    RETRY_AFTER_SECONDS,
  );

export const unprocessable = (loc: readonly (string | number)[], msg: string): ServiceError =>
  new ServiceError(422, msg, [{ loc: ['body', ...loc], msg, type: 'value_error' }]);

export const unavailable = (message: string): ServiceError =>
  new ServiceError(503, message, undefined, RETRY_AFTER_SECONDS);

export const workEndings: WorkEndings = {
  tooManyRequests: (inFlightMax) =>
    new ServiceError(
      429,
      `${inFlightMax} requests are under way, which is this server's limit. Try again shortly.`,
      undefined,
      RETRY_AFTER_SECONDS,
    ),
  clientLeft: () => new ServiceError(CLIENT_GONE_STATUS, 'The client left.'),
  tookTooLong: (limitMs) => new ServiceError(504, `The request took longer than ${limitMs / 1_000} s.`),
  shuttingDown: () => unavailable('The server is shutting down.'),
};

/**
 * Parses a body by its schema. Throws 422 with everything that the schema found wrong, or if a text contains half a
 * surrogate pair.
 */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw bodyError(parsed.error);
  const half = halfCharacterAt(parsed.data);
  if (half !== null) throw unprocessable(half, HALF_CHARACTER);
  return parsed.data;
}

function bodyError(error: z.ZodError): ServiceError {
  const detail = error.issues.slice(0, PROBLEMS_MAX).map(({ path, message, code }) => ({
    loc: ['body', ...path.map((step) => (typeof step === 'symbol' ? String(step) : step))],
    msg: message,
    type: code,
  }));
  const [first] = detail;
  return new ServiceError(422, `${first?.loc.join('.')}: ${first?.msg}`, detail);
}

/** Converts any thrown value. `report` receives details that the client does not see. */
export function serviceErrorOf(error: unknown, report: (error: unknown) => void, hidePaths: HidePaths): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof StpError) {
    report(error);
    const message = hidePaths(`${error.code}: ${error.message}`);
    return error.code === 'STP1203' || error.retryable
      ? unavailable(`${message}. Try again.`)
      : new ServiceError(500, message);
  }
  const { statusCode, code, message } = error as { statusCode?: unknown; code?: unknown; message?: unknown };
  if (statusCode === 415) return new ServiceError(415, 'Send JSON, with `Content-Type: application/json`.');
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY') return new ServiceError(400, NO_JSON);
  if (statusCode === 413)
    return new ServiceError(413, `The body is too large: at most ${BODY_BYTES_MAX} bytes are read.`);
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new ServiceError(statusCode, String(message));
  report(error);
  return new ServiceError(500, 'The server failed; its log says more.');
}
