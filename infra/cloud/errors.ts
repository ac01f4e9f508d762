/**
 * Describes failures of Google's APIs for people, and decides whether to retry. Knows gRPC codes, HTTP statuses and the
 * reasons that Compute Engine writes into operations. It distinguishes quota (a person must ask for more), capacity
 * (currently unavailable) and too many calls.
 */
import { StpError } from '@stp/base';

/** gRPC codes by HTTP status (google.rpc.Code), for answers with only a status. */
const CODE_OF_STATUS: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  408: 4,
  409: 6,
  429: 8,
  500: 13,
  502: 14,
  503: 14,
  504: 4,
};
export const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
const ABORTED = 10;
const PERMISSION_DENIED = 7;
const RESOURCE_EXHAUSTED = 8;
const FAILED_PRECONDITION = 9;
const UNAUTHENTICATED = 16;
/** Unknown (a broken connection), deadline, aborted, internal, unavailable. */
const TRANSIENT: ReadonlySet<number> = new Set([2, 4, 10, 13, 14]);

const CONNECTION =
  /ECONNRESET|ECONNREFUSED|ETIMEDOUT|EPIPE|EAI_AGAIN|ENOTFOUND|socket hang up|terminated|premature close|fetch failed|other side closed/i;
const CAPACITY =
  /ZONE_RESOURCE_POOL_EXHAUSTED|no more capacity|does not have enough resources|currently unavailable in the|stockout|insufficient capacity/i;
const QUOTA = /QUOTA_EXCEEDED|quota/i;
const RATE = /per (?:second|minute|hour|day|100 seconds)|rate ?limit/i;
const NO_CREDENTIALS = /default credentials|could not refresh access token|unable to detect a project/i;

/** Returns the gRPC code of a failure; null for a failure of the connection or of another kind. */
export function codeOf(error: unknown): number | null {
  const { code } = error as { code?: unknown };
  const number = typeof code === 'string' && /^\d{1,3}$/.test(code) ? Number(code) : code;
  if (typeof number !== 'number') return null;
  return number >= 400 ? (CODE_OF_STATUS[number] ?? 2) : number;
}

/**
 * Does the error say that the name exists already? Over REST the libraries turn every 409 into ABORTED and keep the
 * message.
 */
export function isAlreadyThere(error: unknown): boolean {
  const code = codeOf(error);
  return code === ALREADY_EXISTS || (code === ABORTED && /already exists/i.test(String(error)));
}

export type Shortage = 'quota' | 'capacity' | null;

/** Returns the kind of shortage. A quota on calls is none, since the call may be repeated. */
export function shortageOf(code: number | null, message: string): Shortage {
  if (CAPACITY.test(message)) return 'capacity';
  if (QUOTA.test(message) && !RATE.test(message)) return 'quota';
  return code === RESOURCE_EXHAUSTED && !RATE.test(message) ? 'capacity' : null;
}

export const QUOTA_ADVICE =
  'Ask for more in the console (IAM & Admin, Quotas & system limits) for this zone and tier, or take a smaller or another kind of machine.';
export const CAPACITY_ADVICE =
  'Wait longer (nodes.validUntilMinutes), or take another zone, a smaller slice, spot or a reservation.';

/** Makes the call and reports its failure as `cloudError`. */
export async function cloudCall<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw cloudError(what, error);
  }
}

/** Returns the failure as STP1602 (exhausted quota) or STP1603, with advice; an StpError stays as it is. */
export function cloudError(what: string, error: unknown): StpError {
  if (error instanceof StpError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  const facts = { code, what };
  if (shortageOf(code, message) === 'quota')
    return new StpError('STP1602', `${what}: quota: ${message}`, QUOTA_ADVICE, { facts, cause: error });
  const retryable =
    !NO_CREDENTIALS.test(message) &&
    (code === null ? CONNECTION.test(message) : TRANSIENT.has(code) || code === RESOURCE_EXHAUSTED);
  return new StpError('STP1603', `${what}: ${message}`, adviceFor(code, message, retryable), {
    facts,
    retryable,
    cause: error,
  });
}

function adviceFor(code: number | null, message: string, retryable: boolean): string {
  if (code === UNAUTHENTICATED || NO_CREDENTIALS.test(message))
    return 'Give this machine credentials: its service account, or `gcloud auth application-default login`.';
  if (code === PERMISSION_DENIED)
    return /has not been used|is disabled/i.test(message)
      ? 'Enable the API in the project: `gcloud services enable tpu.googleapis.com compute.googleapis.com`.'
      : 'Give the account the roles roles/tpu.admin and roles/compute.instanceAdmin.v1, and roles/iam.serviceAccountUser on the nodes’ account.';
  if (code === FAILED_PRECONDITION)
    return 'Something else is going on with that resource; look at it with `bin/stp nodes ls`.';
  if (retryable) return 'The service or the network fails for now; try again.';
  return 'Correct nodes.… of the configuration as the message says; `bin/stp nodes plan --dry-run` shows the request.';
}
