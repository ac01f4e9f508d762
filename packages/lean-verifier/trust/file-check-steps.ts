/**
 * The steps of checking one file: compile it, judge its module, pass it to further checkers, and report on its
 * theorems.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckRecord, LeanMessage } from '@stp/config/records';
import { type FileHeader, nameParts, tokenize } from '@stp/lean-text';
import { newModuleName } from '../runtime/process/object-run.ts';
import type { ProcessContext } from '../runtime/process/spawn.ts';
import type { LeanEnvironment } from '../verifier.ts';
import type { CompiledFile } from './certificate/checker.ts';
import { CHECKERS } from './certificate/checkers.ts';
import { type CheckersReport, runCheckers } from './certificate/run-checkers.ts';
import type { CheckFileOptions, FileVerdict, StatedReport, TheoremReport } from './file-report.ts';
import { modulePath } from './folder-modules.ts';
import { type CompiledModule, compileModule } from './object/compiled-module.ts';
import { nameExamples } from './object/examples.ts';
import { type ExampleCopy, findInFile } from './object/file-theorems.ts';
import { OBJECT, type ObjectFinding, SECOND_KERNEL, type TheoremFinding } from './object/findings.ts';
import { type InspectTask, inspectModule } from './object/inspect-module.ts';
import type { StoppedProof, StoppedText } from './object/stopped-proofs.ts';
import { toolchainFolder } from './object/toolchain-folder.ts';

export const FILE_TIMEOUT_MS = 600_000;
export const FILE_MEMORY_BYTES_MAX = 8_589_934_592;
/** Maximum number of lines of refused proofs that a message lists. */
const LINES_MAX = 20;

interface Judged extends Pick<ObjectFinding, 'objection' | 'open' | 'notes' | 'others' | 'isSound'> {
  readonly theorems: readonly TheoremReport[];
  readonly checks: readonly CheckRecord[];
  readonly stated: readonly StatedReport[];
}

/** Makes the parts of the report on the theorems and other declarations of a file. */
export function reported({ theorems, objection, open, notes, others, stated }: Judged) {
  const examples = theorems.filter(({ isExample }) => isExample);
  return {
    ...summary(theorems, objection, open),
    theorems: theorems.filter(({ isExample }) => !isExample),
    ...(examples.length === 0 ? {} : { examples }),
    ...(others.length === 0 ? {} : { others }),
    ...(notes.length === 0 ? {} : { notes }),
    ...(stated.length === 0 ? {} : { stated }),
  };
}

type Rest = ReturnType<typeof reported> & Pick<Judged, 'checks'>;

/** Checks one file: compiles it, judges its module, and passes it to further checkers. */
export class FileCheck {
  readonly #environment: LeanEnvironment;
  readonly #options: CheckFileOptions;
  /** Contains only the module while further checkers read it. */
  readonly #directory: string;
  readonly #module = newModuleName();
  readonly #processContext: ProcessContext;
  readonly #memoryBytesMax: number;

  constructor(installed: LeanEnvironment, options: CheckFileOptions, directory: string) {
    const { neighboursFolder } = options;
    const searchPath = [...installed.searchPath, ...(neighboursFolder === undefined ? [] : [neighboursFolder])];
    const environment = { ...installed, searchPath };
    this.#environment = environment;
    this.#options = options;
    this.#directory = join(directory, 'module');
    const { runMark, sandbox } = options;
    this.#processContext = { environment, workingDirectory: this.#directory, runMark, sandbox };
    this.#memoryBytesMax = options.memoryBytesMax ?? FILE_MEMORY_BYTES_MAX;
  }

  /** Returns an error message if a module that the file imports is in no folder, otherwise null. */
  async absentImport({ imports }: FileHeader): Promise<string | null> {
    const own = await toolchainFolder(this.#bounds());
    if (own === null) return null;
    const folders = [...this.#environment.searchPath, own];
    const absent = imports.find(({ name }) => {
      const paths = folders.map((folder) => modulePath(folder, nameParts(name)));
      return !paths.some((path) => path !== null && existsSync(path));
    });
    if (absent === undefined) return null;
    return `imports ${absent.name}, which is not here: check the folder that holds it, or name its Lake project in STP_LEAN_PROJECT`;
  }

  compile(text: string, directory = this.#directory): Promise<CompiledModule> {
    return compileModule({
      ...this.#bounds(),
      module: this.#module,
      text,
      directory,
      deadlineMs: this.#options.timeoutMs ?? FILE_TIMEOUT_MS,
    });
  }

  /** Judges the compiled module at `path`; `text` is the source. */
  async judge(path: string, text: string): Promise<Judged | { readonly unread: string }> {
    const found = await this.#findings(path, text);
    if ('unread' in found) return found;
    const { theorems, objection } = found;
    const further = await this.#lookFurther(found);
    const isRefused = objection !== null || theorems.some((theorem) => theorem.objection !== null);
    const kernels = theorems.map(({ kernel }) => kernel);
    const kernel = kernels.includes('rejected') ? 'refused' : kernels.includes('declined') ? 'declined' : 'accepted';
    const checks = [
      lookOf(OBJECT.name, OBJECT.version, isRefused ? 'refused' : 'accepted', 0),
      lookOf(SECOND_KERNEL.name, SECOND_KERNEL.version, kernel, found.objectMs),
      ...further.records,
    ];
    return {
      theorems: theorems.map((theorem) => verdictOn(theorem, objection, further)),
      objection,
      open: found.open,
      notes: found.notes,
      isSound: found.isSound,
      others: found.others,
      stated: found.stated,
      checks,
    };
  }

  /** Judges the file's theorems except those with refused proofs. Returns null if they cannot be judged. */
  async judgeRest({ text, proofs, lineOf }: StoppedText): Promise<Rest | null> {
    const compiled = await this.compile(text);
    const judged = compiled.path === null ? null : await this.judge(compiled.path, text);
    if (judged === null || 'unread' in judged) return null;
    const inFile = (words: string): string =>
      words.replace(/^line (\d+):/, (_, line) => `line ${lineOf(Number(line))}:`);
    const theorems = judged.theorems.map((theorem) => ({
      ...theorem,
      line: lineOf(theorem.line),
      message: inFile(theorem.message),
    }));
    for (const { name, line, column, error } of proofs) {
      const at = theorems.findLastIndex((one) => one.line < line || (one.line === line && one.column <= column));
      const own = theorems[at];
      const isOwn = name === null ? own?.isExample : own !== undefined && nameParts(own.name).at(-1) === name;
      if (!isOwn) return null;
      theorems[at] = { ...own!, verdict: 'rejected', message: located(error) };
    }
    const objection = judged.objection === null ? null : inFile(judged.objection);
    const others = judged.others.map((other) => ({ ...other, line: lineOf(other.line) }));
    return {
      ...reported({ ...judged, objection, theorems, others, notes: judged.notes.map(inFile) }),
      outcome: 'rejected',
      reason: [besides(proofs), objection ?? ''].join('\n').trimEnd(),
      checks: judged.checks,
    };
  }

  async #findings(
    path: string,
    text: string,
  ): Promise<(ObjectFinding & Pick<Judged, 'stated'> & { objectMs: number }) | { readonly unread: string }> {
    const { toleratesLibraryAxioms } = this.#environment;
    const startedMs = performance.now();
    const { statements } = this.#options;
    const asked = statements && {
      asked: statements.names.map((name) => ({ name, stated: name })),
      statedPath: statements.path,
    };
    const report = await inspectModule({ ...this.#bounds(), path, ...this.#reading(), ...asked });
    if ('unread' in report) return report;
    const copy = await this.#exampleCopy(text);
    if (copy !== null && 'unread' in copy) return copy;
    const stated = report.asked.map(({ name, index, statement }): StatedReport => {
      return { name, statement: index === null ? 'missing' : statement === 'same' ? 'same' : 'other' };
    });
    const found = findInFile(report, toleratesLibraryAxioms, text, copy);
    return { ...found, stated, objectMs: performance.now() - startedMs };
  }

  /** Compiles a copy of the file in which examples have names. Returns null if the file has no example. */
  async #exampleCopy(text: string): Promise<ExampleCopy | null | { readonly unread: string }> {
    const named = nameExamples(text, tokenize(text), randomBytes(8).toString('hex'));
    if ('hidden' in named) return { unread: named.hidden };
    if (named.examples.length === 0) return null;
    const { path, failure, messages } = await this.compile(named.text, `${this.#directory}-examples`);
    const why = 'examples could not be judged: with names for them the file ';
    if (path === null) return { unread: `${why}${failure || `has an error: ${firstError(messages)}`}` };
    const report = await inspectModule({ ...this.#bounds(), path, ...this.#reading() });
    return 'unread' in report ? { unread: `${why}was not read: ${report.unread}` } : { named, report };
  }

  /** Asks further checkers if nothing speaks against the file so far and the second kernel declined. */
  #lookFurther({ theorems, objection }: ObjectFinding): Promise<CheckersReport> {
    // The module that they check contains no examples.
    const sound = theorems.filter(
      ({ objection: against, kernel, isExample }) => against === null && kernel !== 'rejected' && !isExample,
    );
    const isOpen = sound.some(({ kernel }) => kernel === 'declined');
    const isAsked = objection === null && isOpen;
    const searchPath = [this.#directory, ...this.#environment.searchPath];
    const bounds = this.#bounds();
    const file: CompiledFile = {
      ...bounds,
      processContext: { ...this.#processContext, environment: { ...this.#environment, searchPath } },
      directory: this.#directory,
      module: this.#module,
      theorems: sound.map(({ name }) => name),
    };
    return runCheckers(isAsked ? CHECKERS : [], file);
  }

  /**
   * Options for reading modules. The index of neighbours' modules is not kept, because the modules are removed once all
   * files are judged.
   */
  #reading(): Pick<InspectTask, 'indexFolder' | 'neighboursFolder'> {
    const { neighboursFolder, indexFolder = null } = this.#options;
    return neighboursFolder === undefined ? { indexFolder } : { indexFolder: null, neighboursFolder };
  }

  #bounds() {
    const { signal } = this.#options;
    return { processContext: this.#processContext, memoryBytesMax: this.#memoryBytesMax, signal };
  }
}

/** Returns the verdict. A theorem is accepted if nothing speaks against it and some kernel has accepted it. */
function verdictOn(theorem: TheoremFinding, ofFile: string | null, further: CheckersReport): TheoremReport {
  const { name, line, column, axioms, objection, kernel, reason, meaning, isExample } = theorem;
  const told = (verdict: FileVerdict, message: string): TheoremReport => ({
    name,
    verdict,
    message,
    line,
    column,
    axioms,
    ...(isExample ? { isExample } : {}),
    ...(meaning === undefined ? {} : { meaning }),
  });
  if (objection !== null) return told('rejected', objection);
  if (kernel === 'rejected') return told('rejected', `the second kernel refuses it: ${reason}`);
  // A refusal of the module may concern any of its theorems.
  if (ofFile !== null) return told('unchecked', ofFile);
  const against = isExample ? undefined : further.objections.get(name);
  if (against !== undefined) return told('rejected', against);
  const ofModule = further.objections.get(null);
  if (ofModule !== undefined) return told('unchecked', ofModule);
  const declinedBy = further.declinedBy.get(name) ?? [];
  const isChecked =
    kernel === 'accepted' ||
    (!isExample &&
      further.records.some(
        ({ by, outcome }) => outcome === 'accepted' || (outcome === 'declined' && !declinedBy.includes(by)),
      ));
  return isChecked ? told('accepted', '') : told('unchecked', `no kernel accepted it: ${reason}`);
}

/** Explains how the other theorems of a file with refused proofs were judged. */
function besides(proofs: readonly StoppedProof[]): string {
  const lines = [...new Set(proofs.map(({ line }) => line))];
  const where = `${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, LINES_MAX).join(', ')}`;
  const more = lines.length > LINES_MAX ? ` and ${lines.length - LINES_MAX} more` : '';
  return `Lean finds errors in it. The other theorems are judged with \`sorry\` in place of the proofs in ${where}${more}`;
}

export function lookOf(by: string, version: string, outcome: CheckRecord['outcome'], ms: number): CheckRecord {
  return { by, version, outcome, ms: Math.round(ms) };
}

export function firstError(messages: readonly LeanMessage[]): string {
  const wrong = messages.find(({ severity }) => severity === 'error');
  return wrong === undefined ? '' : located(wrong);
}

const located = ({ line, column, text }: LeanMessage): string => `${line}:${column}: ${text.slice(0, 400)}`;

function summary(
  theorems: readonly TheoremReport[],
  objection: string | null,
  unproved: string | null,
): { outcome: FileVerdict; reason: string } {
  const reason = objection ?? '';
  if (theorems.some(({ verdict }) => verdict === 'rejected')) return { outcome: 'rejected', reason };
  if (unproved !== null) return { outcome: 'rejected', reason: unproved };
  if (objection !== null) return { outcome: 'unchecked', reason };
  if (theorems.length === 0) return { outcome: 'unchecked', reason: 'the file holds no theorem' };
  return { outcome: theorems.every(({ verdict }) => verdict === 'accepted') ? 'accepted' : 'unchecked', reason };
}
