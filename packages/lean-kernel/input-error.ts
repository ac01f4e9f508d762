/**
 * The error for invalid inputs: a file that is missing, damaged, or neither an export nor a compiled module. It has the
 * marker and the fields of `StpError` of `@stp/base`, so that readers of `StpError` recognise it, although this package
 * does not import `@stp/base`.
 */
const FAMILY: unique symbol = Symbol.for('stp.error') as never;

export interface InputErrorOptions {
  /** Facts for programs: the path, the line. */
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An error that says what happened and where (`message`), and what to do (`advice`). */
export class InputError extends Error {
  readonly [FAMILY] = true;
  readonly code = 'STP1801';
  readonly advice: string;
  readonly retryable = false;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(message: string, advice: string, options: InputErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'InputError';
    this.advice = advice;
    this.facts = options.facts ?? {};
  }

  /** Returns one paragraph for a terminal. */
  toText(): string {
    return `${this.code} kernel input is invalid: ${this.message}\n${this.advice}`;
  }
}
