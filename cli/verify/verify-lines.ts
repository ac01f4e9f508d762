/** The output of `stp verify`: one line per row, for people or as JSON, and a last line that counts verdicts. */
import { printableJson, printableLine } from '@stp/base';
import { type CheckRecord, type VerdictKind, verdictKindSchema } from '@stp/config/records';

type RowVerdict = VerdictKind | 'invalid';

/** Printed as JSON as it stands. */
export interface Answer {
  /** Null where the row has none that could be read. */
  readonly id: string | null;
  readonly verdict: RowVerdict;
  /** All axioms that a proved theorem rests on; else the forbidden ones. */
  readonly axioms: readonly string[];
  /** Checks of a proof's compiled object, a record each. */
  readonly checks: readonly CheckRecord[];
  /** Why it is not proved; empty where it is. */
  readonly message: string;
  /** Path of the certificate of a proof, where certificates are written. */
  readonly certificate?: string;
  /** The further keys of the row, where they are kept; null where the line is no object. */
  readonly row?: Readonly<Record<string, unknown>> | null;
}

const VERDICTS: readonly RowVerdict[] = [...verdictKindSchema.options, 'invalid'];
const VERDICT_COLUMNS = 1 + Math.max(...VERDICTS.map((verdict) => verdict.length));
/** Most characters of a line for people; JSON has the whole message. */
const MESSAGE_CHARS_MAX = 300;

export function answerLine(answer: Answer, asJson: boolean): string {
  if (asJson) return printableJson(answer);
  const { id, verdict, message } = answer;
  const [first = '', ...rest] = message.split('\n');
  const isCut = first.length > MESSAGE_CHARS_MAX || rest.some((line) => line.trim() !== '');
  const said = printableLine(first.slice(0, MESSAGE_CHARS_MAX)) + (isCut ? ' …' : '');
  return `${verdict.padEnd(VERDICT_COLUMNS)}${printableLine(id ?? '-')}${said === '' ? '' : `  ${said}`}`;
}

/** Counts answers by verdict. */
export class Tally {
  readonly #counts = new Map<RowVerdict, number>();

  add({ verdict }: Answer): void {
    this.#counts.set(verdict, (this.#counts.get(verdict) ?? 0) + 1);
  }

  /** Every row was one, and has a verdict. */
  get isComplete(): boolean {
    return !this.#counts.has('invalid') && !this.#counts.has('infra');
  }

  /** `5 rows: 3 proved, 2 rejected`. */
  get text(): string {
    const total = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    const parts = VERDICTS.filter((verdict) => this.#counts.has(verdict)).map(
      (verdict) => `${this.#counts.get(verdict)} ${verdict}`,
    );
    return `${total} ${total === 1 ? 'row' : 'rows'}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
  }
}
