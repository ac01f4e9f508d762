/** An error of Google's APIs: its gRPC code, and how it looks over HTTP. */

const KINDS = {
  INVALID_ARGUMENT: [3, 400],
  NOT_FOUND: [5, 404],
  ALREADY_EXISTS: [6, 409],
  PERMISSION_DENIED: [7, 403],
  RESOURCE_EXHAUSTED: [8, 429],
  FAILED_PRECONDITION: [9, 400],
  INTERNAL: [13, 500],
  UNAVAILABLE: [14, 503],
  UNAUTHENTICATED: [16, 401],
} as const;
export type ErrorKind = keyof typeof KINDS;

export class ApiError extends Error {
  /** As the client libraries give it. */
  readonly code: number;
  readonly httpStatus: number;
  readonly kind: ErrorKind;
  /** The word of Compute Engine for it, where it has one. */
  readonly reason: string | undefined;

  constructor(kind: ErrorKind, message: string, reason?: string) {
    super(message);
    this.kind = kind;
    [this.code, this.httpStatus] = KINDS[kind];
    this.reason = reason;
  }

  /** The JSON body of the answer. */
  toBody(): object {
    const { httpStatus: code, message, kind: status, reason } = this;
    return {
      error: {
        code,
        message,
        status,
        ...(reason === undefined ? {} : { errors: [{ message, reason, domain: 'global' }] }),
      },
    };
  }
}
