/**
 * Errors in the form of OpenAI's API, `{error: {message, type, param, code}}`. The status says whether a retry can
 * help. Only this file converts errors of the server's parts to this form.
 */
import { StpError } from '@stp/base';
import { CLIENT_GONE_STATUS } from '@stp/http';

/** Wait that a refused client is told, seconds. */
const RETRY_AFTER_SECONDS = 1;

export interface ApiErrorDetails {
  /** The request's faulty field. */
  readonly param?: string | null;
  readonly code?: string | null;
  readonly retryAfterSeconds?: number;
}

export class ApiError extends Error {
  readonly status: number;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, type: string, message: string, details: ApiErrorDetails = {}) {
    super(message);
    this.status = status;
    this.type = type;
    this.param = details.param ?? null;
    this.code = details.code ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
  }

  toBody() {
    const { message, type, param, code } = this;
    return { error: { message, type, param, code } };
  }
}

export function badRequest(message: string, param: string | null = null, code: string | null = null): ApiError {
  return new ApiError(400, 'invalid_request_error', message, { param, code });
}

export function unauthorised(): ApiError {
  return new ApiError(401, 'invalid_request_error', 'The key is wrong or missing: send `Authorization: Bearer KEY`.', {
    code: 'invalid_api_key',
  });
}

export function modelNotFound(asked: string, served: readonly string[]): ApiError {
  const message = `The model \`${asked}\` is not served here; served: ${served.join(', ')}.`;
  return new ApiError(404, 'invalid_request_error', message, { param: 'model', code: 'model_not_found' });
}

export function tooManyRequests(inFlightMax: number): ApiError {
  const message = `${inFlightMax} requests are in flight, which is this server's limit. Try again shortly.`;
  return new ApiError(429, 'rate_limit_error', message, {
    code: 'rate_limit_exceeded',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

export function clientLeft(): ApiError {
  return new ApiError(CLIENT_GONE_STATUS, 'invalid_request_error', 'The client left.');
}

export function shuttingDown(): ApiError {
  return unavailable('The server is shutting down.');
}

export function tookTooLong(limitMs: number): ApiError {
  const message = `The request took longer than ${limitMs / 1_000} s, this server's limit. Ask for fewer tokens or samples.`;
  return new ApiError(504, 'server_error', message, { code: 'timeout' });
}

/** Handles any thrown value. `report` receives details that the client does not see. */
export function apiErrorOf(error: unknown, report: (error: unknown) => void): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof StpError) {
    if (error.code === 'STP1002') return badRequest(error.message);
    report(error);
    if (error.retryable) return unavailable(`${error.message}. Try again.`);
    return new ApiError(500, 'server_error', `${error.code}: ${error.message}`);
  }
  const { statusCode, message } = error as { statusCode?: unknown; message?: unknown };
  if (statusCode === 415)
    return new ApiError(415, 'invalid_request_error', 'Send JSON, with `Content-Type: application/json`.');
  // Errors of Fastify: a body that is too large or not JSON.
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new ApiError(statusCode, 'invalid_request_error', String(message));
  report(error);
  return new ApiError(500, 'server_error', 'The server failed; its log says more.');
}

function unavailable(message: string): ApiError {
  return new ApiError(503, 'server_error', message, {
    code: 'unavailable',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
