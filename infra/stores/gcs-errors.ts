/**
 * Describes failures of Google Cloud Storage for people. The client library has already retried the calls that can be
 * retried.
 */
import { StpError } from '@stp/base';
import { missing } from './store-errors.ts';

const RETRYABLE_STATUSES = [408, 429, 500, 502, 503, 504];
/** Matches failures of the connection, by Node's codes and the library's messages. */
const CONNECTION_FAILURE =
  /UND_ERR_(?:SOCKET|\w+_TIMEOUT)|ECONNRESET|ECONNREFUSED|ETIMEDOUT|EPIPE|EAI_AGAIN|ENOTFOUND|ERR_STREAM_PREMATURE_CLOSE|socket hang up|aborted|terminated|premature close|fetch failed|network/i;

/** Returns the HTTP status of a failure, or null for a failure of the connection. */
export function statusOf(error: unknown): number | null {
  const { code, status } = error as { code?: unknown; status?: unknown };
  for (const value of [code, status]) {
    const number = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && number >= 400 && number < 600) return number;
  }
  return null;
}

export function isTransient(error: unknown): boolean {
  const status = statusOf(error);
  if (status !== null) return RETRYABLE_STATUSES.includes(status);
  return CONNECTION_FAILURE.test(`${(error as { code?: unknown }).code} ${(error as Error).message}`);
}

export function gcsError(code: 'STP1401' | 'STP1405', uri: string, error: unknown): unknown {
  if (error instanceof StpError || !(error instanceof Error)) return error;
  const status = statusOf(error);
  if (status === 404 && code === 'STP1405') return missing(uri);
  const what = code === 'STP1401' ? 'cannot be written' : 'cannot be read';
  const retryable = isTransient(error);
  return new StpError(code, `${uri} ${what}: ${error.message}`, adviceFor(status, error, retryable), {
    facts: { uri, status },
    retryable,
    cause: error,
  });
}

function adviceFor(status: number | null, error: Error, retryable: boolean): string {
  if (status === 404) return 'Check the name of the bucket, or make the bucket.';
  if (status === 401 || /credentials/i.test(error.message)) {
    return 'Give this machine credentials: its service account, or `gcloud auth application-default login`.';
  }
  if (status === 403) return 'Give the account the role roles/storage.objectUser on the bucket.';
  if (retryable) return 'The service or the network fails for now; try again.';
  return 'Look at the reason above; try again once it is gone.';
}
