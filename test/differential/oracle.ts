/**
 * Lean's own answer about an unchanged proof text, and the second kernel's verdict on its object. It uses no part of
 * the verifier: no printed text, no names and no checks. One process tries many texts: a text with an error on its
 * lines is not a proof; the others are compiled again without the failed ones and read as an object.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DEFAULT_LIMITS, type ModuleReport } from '@stp/lean-kernel';
import { checkModuleInThread } from '@stp/lean-kernel/thread';
import type { ProcessContext } from '@stp/lean-verifier';
import { compileModule } from '@stp/lean-verifier/testing';

/** `unclear`: it did not finish within the limits. */
export type Answer = 'proof' | 'no proof' | 'unclear';

export interface Question {
  readonly signature: string;
  /** The original proof text. */
  readonly text: string;
  /** Offset at which the block ends and clauses about recursion follow; missing: the text is only a block. */
  readonly blockEnds?: number;
}

/** Matches the beginning of a clause that may follow a block. */
const CLAUSE = /^[ \t]*(?:termination_by|decreasing_by)\b/mu;

const OPTIONS = ['set_option autoImplicit false', 'set_option relaxedAutoImplicit false'];
/** Heartbeats of the first and the second attempt at a text without errors, in thousands. */
const HEARTBEATS = [1_000, 20_000] as const;
const BASE_MS = 60_000;
const EACH_MS = 5_000;
const MEMORY_BYTES_MAX = 4_294_967_296;
/** Number of errors at which Lean 4.35 stops. */
const ERRORS_MAX = 100;
/** Number of texts in one process: small enough at first that errors stay below `ERRORS_MAX`, then only clean texts. */
const FIRST_BATCH = 80;
const CLEAN_BATCH = 150;
const NO_END = /maximum number of heartbeats|deterministic\) timeout|maximum recursion depth/;
const FOREIGN = /sorryAx|ofReduceBool|ofReduceNat|trustCompiler|_native/;

export class Oracle {
  readonly #processContext: ProcessContext;
  readonly #folder: string;
  readonly #toolchain: string;
  #stated = '';
  readonly #signatures: readonly string[];
  #runs = 0;

  /** @param signatures signatures of all questions */
  constructor(processContext: ProcessContext, signatures: readonly string[]) {
    this.#processContext = processContext;
    this.#folder = mkdtempSync(join(processContext.workingDirectory, 'oracle-'));
    this.#toolchain = join(dirname(dirname(processContext.environment.executable)), 'lib', 'lean');
    this.#signatures = signatures;
  }

  /**
   * Returns an answer for each, in order. A text that is no proof as a block may be one with clauses after its block.
   */
  async ask(questions: readonly Question[]): Promise<readonly Answer[]> {
    const answers = [...(await this.#ask(questions))];
    const again = questions.flatMap((question, index) => {
      const blockEnds = answers[index] === 'no proof' ? question.text.search(CLAUSE) : -1;
      return blockEnds < 0 ? [] : [{ index, question: { ...question, blockEnds } }];
    });
    const others = await this.#ask(again.map(({ question }) => question));
    for (const [at, { index }] of again.entries()) answers[index] = others[at]!;
    return answers;
  }

  async #ask(questions: readonly Question[]): Promise<readonly Answer[]> {
    const answers: (Answer | null)[] = [];
    for (let start = 0; start < questions.length; start += FIRST_BATCH)
      answers.push(...(await this.#firstLook(questions.slice(start, start + FIRST_BATCH))));
    const clean = questions.filter((_, index) => answers[index] === null);
    const judged: Answer[] = [];
    for (let start = 0; start < clean.length; start += CLEAN_BATCH)
      judged.push(...(await this.#judge(clean.slice(start, start + CLEAN_BATCH))));
    return answers.map((answer) => answer ?? judged.shift()!);
  }

  /** Returns the answers of texts with errors; null for a text without an error. */
  async #firstLook(questions: readonly Question[]): Promise<readonly (Answer | null)[]> {
    if (questions.length === 0) return [];
    const { exit, path, errors, spans, folder } = await this.#compile(questions, HEARTBEATS[0]);
    rmSync(folder, { recursive: true, force: true });
    const alone = questions.length === 1;
    if (exit !== 'finished') return alone ? ['unclear'] : await this.#halves(questions);
    // Lean stops reading after its last error; the unread texts are tried one by one.
    const last = Math.max(...errors.map(({ line }) => line));
    const reached = errors.length < ERRORS_MAX ? questions.length : spans.filter(({ ends }) => ends < last).length;
    const answers = spans.slice(0, reached).map(({ begins, ends }): Answer | null => {
      const own = errors.filter(({ line }) => line >= begins && line <= ends);
      if (own.some(({ text }) => NO_END.test(text))) return 'unclear';
      return own.length > 0 ? 'no proof' : null;
    });
    // An error outside the lines of all texts may belong to any of them.
    const isNobodys = path === null && answers.every((answer) => answer === null);
    if (isNobodys) return alone ? ['no proof'] : await this.#halves(questions);
    return [...answers, ...(await this.#firstLook(questions.slice(reached)))];
  }

  async #halves(questions: readonly Question[]): Promise<readonly (Answer | null)[]> {
    const half = Math.ceil(questions.length / 2);
    return [...(await this.#firstLook(questions.slice(0, half))), ...(await this.#firstLook(questions.slice(half)))];
  }

  /** Judges texts in which Lean found no error. */
  async #judge(questions: readonly Question[]): Promise<readonly Answer[]> {
    if (questions.length === 0) return [];
    const compiled = await this.#compile(questions, HEARTBEATS[1]);
    try {
      if (compiled.path === null) {
        if (questions.length > 1) return await this.#each(questions);
        return [compiled.exit === 'finished' ? 'no proof' : 'unclear'];
      }
      const report = await checkModuleInThread({
        path: compiled.path,
        searchPath: [this.#toolchain],
        toolchainFolder: this.#toolchain,
        fuel: DEFAULT_LIMITS.fuel,
        asked: questions.map(({ signature }, index) => ({ name: `d${index}`, stated: this.#statedName(signature) })),
        statedPath: await this.#statements(),
      });
      return questions.map((_, index) => answerOf(report, index));
    } finally {
      rmSync(compiled.folder, { recursive: true, force: true });
    }
  }

  async #each(questions: readonly Question[]): Promise<readonly Answer[]> {
    const answers: Answer[] = [];
    for (const question of questions) answers.push(...(await this.#judge([question])));
    return answers;
  }

  #statedName(signature: string): string {
    return `stated${this.#signatures.indexOf(signature)}`;
  }

  /** Compiles a module with each signature as an axiom, and returns its path. */
  async #statements(): Promise<string> {
    if (this.#stated !== '') return this.#stated;
    const text = this.#signatures.map((signature, index) => `axiom stated${index}${signature}\n`).join('');
    const { path, messages } = await compileModule({ ...this.#task(1), module: 'Stated', text });
    if (path === null) throw new Error(`the statements: ${JSON.stringify(messages)}`);
    this.#stated = path;
    return path;
  }

  async #compile(questions: readonly Question[], heartbeats: number) {
    const lines = [...OPTIONS, `set_option maxHeartbeats ${heartbeats}`];
    const spans = questions.map(({ signature, text, blockEnds = text.length }, index) => {
      const begins = lines.length + 1;
      // Lean reads CRLF as a line feed.
      const linesOf = (part: string): string[] => part.replaceAll('\r\n', '\n').split('\n');
      const block = [':= (by', ...linesOf(text.slice(0, blockEnds)), ')'];
      lines.push(`theorem d${index}${signature}`, ...block, ...linesOf(text.slice(blockEnds)));
      return { begins, ends: lines.length };
    });
    const task = this.#task(questions.length);
    const compiled = await compileModule({ ...task, module: 'Texts', text: `${lines.join('\n')}\n` });
    const errors = compiled.messages.filter(({ severity }) => severity === 'error');
    return { ...compiled, errors, spans, folder: task.directory };
  }

  #task(texts: number) {
    this.#runs += 1;
    const directory = join(this.#folder, `run${this.#runs}`);
    mkdirSync(directory);
    return {
      processContext: this.#processContext,
      directory,
      deadlineMs: BASE_MS + texts * EACH_MS,
      memoryBytesMax: MEMORY_BYTES_MAX,
    };
  }
}

/** `proof` if the theorem exists, states its signature, and rests only on checked constants and allowed axioms. */
function answerOf(report: ModuleReport, index: number): Answer {
  const asked = report.asked[index];
  const theorem = asked?.index == null ? undefined : report.constants[asked.index];
  if (asked === undefined || theorem === undefined) return 'no proof';
  if (theorem.kind !== 'theorem' || asked.statement !== 'same') return 'no proof';
  if (theorem.axioms.some(({ name, from }) => from !== 'toolchain' || FOREIGN.test(name))) return 'no proof';
  const parts = [theorem, ...asked.reaches.map((index) => report.constants[index]!)];
  if (parts.some(({ verdict }) => verdict === 'rejected' || verdict === 'outside')) return 'no proof';
  return parts.every(({ verdict }) => verdict === 'accepted') ? 'proof' : 'unclear';
}
