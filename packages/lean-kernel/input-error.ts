/**
 * The error for inputs: a file that is missing, damaged, or neither an export nor a compiled module. It carries the mark and the
 * fields of the project's error family (`StpError` of `@stp/base`), which this package does not import, so every reader of that
 * family knows it.
 */
const FAMILY: unique symbol = Symbol.for('stp.error') as never;

export interface InputErrorOptions {
  /** Facts a program may read: the path, the line. */
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

  /** One paragraph for a terminal. */
  toText(): string {
    return `${this.code} kernel input is invalid: ${this.message}\n${this.advice}`;
  }
}
