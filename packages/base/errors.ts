/**
 * The project's error family. An error has a stable code (`STP1xxx`), whether a retry can help, the facts as fields,
 * and advice for the reader. Only the activity boundary (`activities/edge.ts`) converts it to a Temporal
 * `ApplicationFailure`; elsewhere it is an ordinary exception.
 */

/**
 * Codes by area: 10xx input and config, 11xx Temporal, 12xx Lean, 13xx model, 14xx stores, 15xx data, 16xx nodes, 17xx
 * checks of a round, 18xx the second kernel, 19xx judges.
 */
export const ERROR_CODES = {
  STP1001: 'invalid configuration',
  STP1002: 'invalid argument',
  STP1101: 'Temporal server not available',
  STP1102: 'port in use',
  STP1103: 'run of another version',
  STP1104: 'the run failed',
  STP1201: 'Lean not available',
  STP1202: 'Lean library does not compile',
  STP1203: 'Lean could not check',
  STP1204: 'download or package is damaged',
  STP1205: 'Lean sandbox not available',
  STP1206: 'no Lean process is free',
  STP1301: 'model engine failed',
  STP1302: 'model checkpoint cannot be used',
  STP1303: 'model server failed',
  STP1304: 'model server serves another checkpoint',
  STP1401: 'store cannot be written',
  STP1402: 'stored object is damaged',
  STP1403: 'stored object is missing',
  STP1404: 'stored object changed meanwhile',
  STP1405: 'store cannot be read',
  STP1406: 'disk is full',
  STP1501: 'dataset row is invalid',
  STP1502: 'evaluation cannot be summarised',
  STP1601: 'node clean-up failed',
  STP1602: 'nodes could not be got',
  STP1603: 'cloud request failed',
  STP1604: 'node set-up failed',
  STP1605: 'a node was lost',
  STP1606: 'cost guard',
  STP1607: 'a command on a node failed',
  STP1701: 'a canary was proved',
  STP1702: 'too many samples without a verdict',
  STP1801: 'kernel input is invalid',
  STP1802: 'two kernels disagree',
  STP1901: 'judge gave no answer',
  STP1902: 'too many proofs without a judgement',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface StpErrorOptions {
  /** Facts for programs: paths, ports, checksums. Never secrets or proofs. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Whether the same call may succeed later without a change by a person. */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/** Errors of packages without imports carry this marker and the fields of `StpError`, so they belong to the family. */
const FAMILY = Symbol.for('stp.error');

/** An error that says what happened and where (`message`), and what to do (`advice`). */
export class StpError extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a subclass asks for itself
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    // biome-ignore lint/complexity/noThisInStatic: a subclass asks for itself
    return this === StpError && value instanceof Error && FAMILY in value;
  }

  readonly code: ErrorCode;
  readonly advice: string;
  readonly retryable: boolean;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, advice: string, options: StpErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'StpError';
    this.code = code;
    this.advice = advice;
    this.retryable = options.retryable ?? false;
    this.facts = options.facts ?? {};
  }

  /** Returns one paragraph for a terminal. */
  toText(): string {
    return `${this.code} ${ERROR_CODES[this.code]}: ${this.message}\n${this.advice}`;
  }
}
