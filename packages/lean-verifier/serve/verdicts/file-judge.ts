/**
 * Judges texts as whole files: alone, or against a file of statements. The statements are compiled without the text, in
 * a separate folder, and compared as compiled terms. Each file takes one permit of the host.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LeanMessage } from '@stp/config/records';
import { readHeader, tokenize } from '@stp/lean-text';
import type { LeanHost } from '../../runtime/pool/lean-host.ts';
import type { ProcessContext } from '../../runtime/process/spawn.ts';
import type { Sandbox } from '../../runtime/sandbox/sandbox.ts';
import { checkFile } from '../../trust/check-file.ts';
import type { CheckFileOptions, FileReport } from '../../trust/file-report.ts';
import { importedNames } from '../../trust/header.ts';
import { compileModule } from '../../trust/object/compiled-module.ts';
import { nameExamples } from '../../trust/object/examples.ts';
import { inspectModule } from '../../trust/object/inspect-module.ts';
import { findUnjudgeable } from '../../trust/verdict/file-policy.ts';
import type { LeanEnvironment } from '../../verifier.ts';

export interface FileJudgeOptions {
  readonly environment: LeanEnvironment;
  readonly sandbox: Sandbox;
  /** Each file gets a folder in this one, which is removed afterwards. */
  readonly scratchDirectory: string;
  readonly runMark: string;
  readonly indexFolder: string;
  readonly memoryBytesMax: number;
  /** Shared with everything on this machine that starts Lean. */
  readonly host: LeanHost;
  /** Maximum number of files and other Lean processes at work on the host. */
  readonly processes: number;
}

/** Why there is no judgement of the text: the statements cannot be used. */
export interface UnusableStatements {
  readonly problem: string;
}

export class FileJudge {
  readonly #options: FileJudgeOptions;

  constructor(options: FileJudgeOptions) {
    this.#options = options;
  }

  /**
   * `timeoutMs` is processor time for compiling. Rejects only with the signal's reason, or if the scratch folder cannot
   * be written.
   */
  check(text: string, timeoutMs: number, signal: AbortSignal): Promise<FileReport> {
    return this.#withPermit(signal, (directory) => this.#judge(text, directory, { timeoutMs, signal }));
  }

  /**
   * Judges the text, and whether it has each theorem of `statements` under the same name and with the same type. The
   * statements' own proofs may be `sorry`. Rejects as `check` does.
   */
  verify(
    statements: string,
    text: string,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<FileReport | UnusableStatements> {
    return this.#withPermit(signal, async (directory) => {
      const [ours, theirs] = [statements, text].map((one) => importedNames(readHeader(one.replaceAll('\r\n', '\n'))));
      // Under other imports the same name may denote another constant.
      if (ours!.symmetricDifference(theirs!).size > 0)
        return { problem: 'formal_statement and content import different modules' };
      const stated = await this.#compileStatements(statements, join(directory, 'stated'), timeoutMs, signal);
      if ('problem' in stated) return stated;
      return this.#judge(text, directory, { timeoutMs, signal, statements: stated });
    });
  }

  #withPermit<Value>(signal: AbortSignal, work: (directory: string) => Promise<Value>): Promise<Value> {
    const { host, processes, scratchDirectory } = this.#options;
    const inFolder = async (): Promise<Value> => {
      const directory = join(scratchDirectory, `file-${randomBytes(8).toString('hex')}`);
      await mkdir(directory, { recursive: true });
      try {
        return await work(directory);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    };
    return host.permits.run(processes, inFolder, signal);
  }

  async #judge(
    text: string,
    directory: string,
    more: Pick<CheckFileOptions, 'timeoutMs' | 'signal' | 'statements'>,
  ): Promise<FileReport> {
    const { environment, sandbox, runMark, indexFolder, memoryBytesMax } = this.#options;
    const path = join(directory, 'content.lean');
    await writeFile(path, text);
    const folders = { scratchDirectory: directory, runMark, indexFolder };
    return checkFile(path, environment, { ...folders, sandbox, memoryBytesMax, sparesOthers: true, ...more });
  }

  async #compileStatements(
    text: string,
    directory: string,
    deadlineMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly path: string; readonly names: readonly string[] } | UnusableStatements> {
    const { environment, sandbox, runMark, memoryBytesMax, indexFolder } = this.#options;
    const hidden = hiddenIn(text);
    if (hidden !== null) return { problem: `formal_statement:${hidden}` };
    const processContext: ProcessContext = { environment, workingDirectory: directory, runMark, sandbox };
    const bounds = { processContext, memoryBytesMax, signal };
    const compiled = await compileModule({ ...bounds, module: 'Stated', text, directory, deadlineMs });
    if (compiled.path === null)
      return { problem: `formal_statement does not compile: ${compiled.failure || firstError(compiled.messages)}` };
    const report = await inspectModule({ ...bounds, path: compiled.path, indexFolder });
    if ('unread' in report) return { problem: `formal_statement was not read: ${report.unread}` };
    const written = report.constants.filter(({ range }) => range !== null);
    const axiom = written.find(({ kind }) => kind === 'axiom');
    if (axiom !== undefined) return { problem: `formal_statement declares the axiom ${axiom.name}` };
    const open = written.find(
      ({ kind, axioms }) => kind !== 'theorem' && axioms.some(({ name }) => name === 'sorryAx'),
    );
    if (open !== undefined)
      return { problem: `formal_statement leaves the definition ${open.name} open, which cannot be compared here` };
    const theorems = written.filter(({ kind }) => kind === 'theorem');
    // Lean gives a private theorem another full name in every module, so it cannot be matched with a theorem of the
    // text.
    const hiddenOne = theorems.find(({ isPrivate }) => isPrivate);
    if (hiddenOne !== undefined)
      return { problem: `formal_statement has the private theorem ${hiddenOne.name}: make it public` };
    const names = theorems.map(({ name }) => name);
    return names.length === 0 ? { problem: 'formal_statement has no theorem' } : { path: compiled.path, names };
  }
}

/**
 * Finds statements of the text that its compiled module does not show, or that its own code may decide. Returns null if
 * there are none.
 */
function hiddenIn(text: string): string | null {
  const source = text.replaceAll('\r\n', '\n');
  const tokens = tokenize(source);
  const unjudgeable = findUnjudgeable(source, tokens);
  if (unjudgeable !== null) return unjudgeable;
  const named = nameExamples(source, tokens, '');
  if ('hidden' in named) return named.hidden;
  const [first] = named.examples;
  return first === undefined
    ? null
    : `${first.line}:${first.column}: an example has no name to compare: make it a theorem`;
}

function firstError(messages: readonly LeanMessage[]): string {
  const wrong = messages.find(({ severity }) => severity === 'error');
  return wrong === undefined ? 'Lean says that it has errors' : `${wrong.line}:${wrong.column}: ${wrong.text}`;
}
