/**
 * Errors as clients of Kimina's server read them: `{detail}` under a status that says whether another try can help; for a
 * body that does not fit, FastAPI's list of places. What the service's parts throw becomes one of these here and nowhere else.
 */
import type { z } from 'zod';
import { StpError } from '../../data/errors.ts';
import { CLIENT_GONE_STATUS, type WorkEndings } from '../../data/http/work-tracker.ts';

/** When a client that was turned away may come again, seconds. */
const RETRY_AFTER_SECONDS = 1;
/** Of what a schema found wrong, so many places are told. */
const PROBLEMS_MAX = 20;

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

const unavailable = (message: string): ServiceError => new ServiceError(503, message, undefined, RETRY_AFTER_SECONDS);

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

/** Everything that a schema found wrong with a body. */
export function bodyError(error: z.ZodError): ServiceError {
  const detail = error.issues.slice(0, PROBLEMS_MAX).map(({ path, message, code }) => ({
    loc: ['body', ...path.map((step) => (typeof step === 'symbol' ? String(step) : step))],
    msg: message,
    type: code,
  }));
  const [first] = detail;
  return new ServiceError(422, `${first?.loc.join('.')}: ${first?.msg}`, detail);
}

/** Whatever was thrown. `report` hears of what the client is not told. */
export function serviceErrorOf(error: unknown, report: (error: unknown) => void): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof StpError) {
    report(error);
    return error.code === 'STP1203' || error.retryable
      ? unavailable(`${error.code}: ${error.message}. Try again.`)
      : new ServiceError(500, `${error.code}: ${error.message}`);
  }
  const { statusCode, message } = error as { statusCode?: unknown; message?: unknown };
  if (statusCode === 415) return new ServiceError(415, 'Send JSON, with `Content-Type: application/json`.');
  // Fastify's own: a body too large, or no JSON.
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new ServiceError(statusCode, String(message));
  report(error);
  return new ServiceError(500, 'The server failed; its log says more.');
}
