/**
 * Reads a library folder into records: each theorem with its signature, tactic proof, header and premises, and the
 * conjecturer's training examples. It reads text and does not run Lean; its test uses real Lean to show that each
 * record elaborates alone.
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
  /** 1-based line. */
  readonly line: number;
  readonly reason: SkipReason;
}

export interface LibraryExtract {
  /** In import order of the files, then in file order. */
  readonly theorems: readonly LibraryTheorem[];
  readonly skipped: readonly SkippedTheorem[];
}

/**
 * A training example for the conjecturer (docs/algorithm.md, section 12): two theorems of a file that share a premise,
 * the earlier one first.
 */
export interface ConjecturerTuple<T> {
  readonly easy: T;
  readonly lemma: T;
  readonly hard: T;
}

interface FoundTheorem extends Omit<LibraryTheorem, 'premises'> {
  readonly scopes: readonly string[];
}

const LIBRARY_NAMESPACE = 'Stp';

/** `directory` contains the modules `Stp.*`. Throws STP1202 for a missing folder or import. */
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

/** A theorem that can be part of a tuple: its file and premises are known. */
interface Tupled {
  readonly name: string;
  readonly file: string;
  readonly premises: readonly string[];
}

/**
 * Yields every (easy, lemma, hard) tuple of the theorems, which must be in file order. If a name occurs twice, the
 * later theorem is used as the lemma, as in STP's table.
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

/** Returns the library header with the opens of nested namespaces and of the file. */
function headerFor(namespace: readonly string[], opens: readonly string[]): string {
  const extra = [...prefixes(namespace).reverse(), ...opens].filter((name) => name !== LIBRARY_NAMESPACE);
  return LIBRARY_HEADER + extra.map((name) => `open ${name}\n`).join('');
}

/** Returns `A.B`, `A`: innermost first. */
function prefixes(namespace: readonly string[]): string[] {
  return namespace.map((_, index) => namespace.slice(0, namespace.length - index).join('.'));
}

/** Returns the library theorems named in a proof, sorted. */
function premisesOf(proof: string, scopes: readonly string[], names: ReadonlySet<string>): string[] {
  return [...new Set(mentionsIn(proof, scopes, names).map(({ name }) => name))].sort();
}
