/**
 * Reads a library folder into records: each theorem with its signature, tactic proof, header and premises, and the
 * conjecturer examples made from them. It reads text only and does not ask Lean; its test shows with real Lean that
 * every record elaborates on its own.
 */
import path from 'node:path';
import { contentId } from '@stp/config/ids';
import { type LibraryTheorem, PROOF_CHARS_MAX, STATEMENT_CHARS_MAX } from '@stp/config/records';
import { lineAt, maskSource, readCommands } from '@stp/lean-text';
import { discoverModules, LIBRARY_HEADER } from '@stp/lean-verifier';
import { mentionsIn } from './mentions.ts';
import { type SkipReason, splitTheorem } from './theorem-text.ts';

interface SkippedTheorem {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly reason: SkipReason;
}

export interface LibraryExtract {
  /** In import order of the files, then in the order of each file. */
  readonly theorems: readonly LibraryTheorem[];
  readonly skipped: readonly SkippedTheorem[];
}

/** Example for the conjecturer (docs/algorithm.md, section 12): two theorems of a file that share a premise, the earlier one first. */
export interface ConjecturerTuple<T> {
  readonly easy: T;
  readonly lemma: T;
  readonly hard: T;
}

interface FoundTheorem extends Omit<LibraryTheorem, 'premises'> {
  readonly scopes: readonly string[];
}

const LIBRARY_NAMESPACE = 'Stp';

/** `directory` holds the modules `Stp.*`. Errors: STP1202 for a folder or an import that is not there. */
export async function extractLibrary(directory: string): Promise<LibraryExtract> {
  const modules = await discoverModules([{ directory, modulePrefix: LIBRARY_NAMESPACE }]);
  const found: FoundTheorem[] = [];
  const skipped: SkippedTheorem[] = [];
  for (const module of modules) {
    if (module.path === null) continue;
    const file = path.relative(directory, module.path).split(path.sep).join('/');
    for (const theorem of readTheorems(file, module.source)) {
      if ('reason' in theorem) skipped.push(theorem);
      else found.push(theorem);
    }
  }
  const names = new Set(found.map(({ name }) => name));
  const theorems = found.map(({ scopes, ...theorem }) => ({
    ...theorem,
    premises: premisesOf(theorem.proof, scopes, names).filter((name) => name !== theorem.name),
  }));
  return { theorems, skipped };
}

/** The parts of a tuple: any theorem that knows its file and its premises. */
interface Tupled {
  readonly name: string;
  readonly file: string;
  readonly premises: readonly string[];
}

/**
 * Every (easy, lemma, hard) of the theorems, which are in the order of their files. A theorem of a name that comes twice
 * is the later one where it is the lemma, as in STP's table.
 */
export function* conjecturerTuples<T extends Tupled>(theorems: readonly T[]): Generator<ConjecturerTuple<T>> {
  const byName = new Map(theorems.map((theorem) => [theorem.name, theorem]));
  const earlierUsers = new Map<string, T[]>();
  for (const hard of theorems) {
    for (const premise of hard.premises) {
      const lemma = byName.get(premise);
      if (lemma === undefined) continue;
      const key = `${hard.file}\n${premise}`;
      const users = earlierUsers.get(key) ?? [];
      for (const easy of users) yield { easy, lemma, hard };
      users.push(hard);
      earlierUsers.set(key, users);
    }
  }
}

function* readTheorems(file: string, source: string): Generator<FoundTheorem | SkippedTheorem> {
  const masked = maskSource(source);
  for (const command of readCommands(masked)) {
    if (command.keyword !== 'theorem' && command.keyword !== 'lemma') continue;
    const line = lineAt(source, command.start);
    const parts = splitTheorem(
      masked.withoutComments.slice(command.start, command.end),
      masked.code.slice(command.start, command.end),
    );
    const reason = typeof parts === 'string' ? parts : command.hasVariables ? 'variables in force' : null;
    if (reason !== null || typeof parts === 'string') {
      yield { file, line, reason: reason ?? 'no name' };
    } else if (parts.statement.length > STATEMENT_CHARS_MAX || parts.proof.length > PROOF_CHARS_MAX) {
      yield { file, line, reason: 'too long' };
    } else {
      const { name: shortName, statement, proof } = parts;
      const name = [...command.namespace, shortName].join('.');
      const header = headerFor(command.namespace, command.opens);
      const scopes = [...prefixes(command.namespace), ...command.opens];
      yield { id: contentId('library', name, statement, proof), name, file, line, statement, proof, header, scopes };
    }
  }
}

/** The library header, with what a nested namespace or an `open` of the file adds to it. */
function headerFor(namespace: readonly string[], opens: readonly string[]): string {
  const extra = [...prefixes(namespace).reverse(), ...opens].filter((name) => name !== LIBRARY_NAMESPACE);
  return LIBRARY_HEADER + extra.map((name) => `open ${name}\n`).join('');
}

/** `A.B`, `A`: innermost first. */
function prefixes(namespace: readonly string[]): string[] {
  return namespace.map((_, index) => namespace.slice(0, namespace.length - index).join('.'));
}

/** Library names in a proof, sorted. */
function premisesOf(proof: string, scopes: readonly string[], names: ReadonlySet<string>): string[] {
  return [...new Set(mentionsIn(proof, scopes, names).map(({ name }) => name))].sort();
}
