/** The output of `stp verify`: one line per row, for people or as JSON, and a last line that counts verdicts. */
import { printableJson, printableLine } from '@stp/base';
import { type CheckRecord, type VerdictKind, verdictKindSchema } from '@stp/config/records';

type RowVerdict = VerdictKind | 'invalid';

/** The answer for a row. JSON output prints it unchanged. */
export interface Answer {
  /** Null if no id could be read. */
  readonly id: string | null;
  readonly verdict: RowVerdict;
  /** All axioms on which a proved theorem depends; otherwise the forbidden ones. */
  readonly axioms: readonly string[];
  /** Records of the checks of a proof's compiled module. */
  readonly checks: readonly CheckRecord[];
  /** Why it is not proved, or has no certificate; empty otherwise. */
  readonly message: string;
  /** Path of the proof's certificate, if certificates are written; null if it could not be written, as `message` says. */
  readonly certificate?: string | null;
  /** The row's further keys, if they are kept; null if the line is no object. */
  readonly row?: Readonly<Record<string, unknown>> | null;
}

const VERDICTS: readonly RowVerdict[] = [...verdictKindSchema.options, 'invalid'];
const VERDICT_COLUMNS = 1 + Math.max(...VERDICTS.map((verdict) => verdict.length));
/** Maximum length of a line for people, characters; JSON has the whole message. */
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

  /** Number of proofs whose certificate could not be written. */
  uncertified = 0;

  add({ verdict, certificate }: Answer): void {
    this.#counts.set(verdict, (this.#counts.get(verdict) ?? 0) + 1);
    if (certificate === null) this.uncertified += 1;
  }

  /** Whether every line was a row and every row has a verdict. */
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
