/** Runs every checker in order and records each answer. A missing checker is recorded as absent, never as passed. */
import type { CheckRecord } from '@stp/config/records';
import type { Checker, CheckerAnswer, CompiledFile } from './checker.ts';

export interface CheckersReport {
  readonly records: readonly CheckRecord[];
  /** Objections by theorem. The key `null` holds objections that name no theorem. */
  readonly objections: ReadonlyMap<string | null, string>;
  /** Names of the checkers that declined a theorem, by theorem. */
  readonly declinedBy: ReadonlyMap<string, readonly string[]>;
}

const DETAIL_CHARS_MAX = 400;

/** Continues after an objection, so that the report of a refused proof lists all objections. */
export async function runCheckers(checkers: readonly Checker[], file: CompiledFile): Promise<CheckersReport> {
  const records: CheckRecord[] = [];
  const objections = new Map<string | null, string>();
  const declinedBy = new Map<string, string[]>();
  for (const checker of checkers) {
    file.signal?.throwIfAborted();
    const version = await checker.version(file.processContext);
    if (version === null) {
      records.push({ by: checker.name, version: null, outcome: 'absent', ms: 0 });
      continue;
    }
    const startedMs = performance.now();
    const answer = await checker.check(file);
    records.push({
      by: checker.name,
      version,
      outcome: answer.outcome,
      ms: Math.round(performance.now() - startedMs),
    });
    if (answer.outcome === 'refused' || answer.outcome === 'failed')
      for (const theorem of answer.theorems ?? [null]) objections.set(theorem, describe(checker.name, answer));
    if (answer.outcome === 'declined')
      for (const theorem of answer.theorems ?? file.theorems)
        declinedBy.set(theorem, [...(declinedBy.get(theorem) ?? []), checker.name]);
  }
  return { records, objections, declinedBy };
}

function describe(name: string, { outcome, detail }: CheckerAnswer): string {
  const verb = outcome === 'refused' ? 'refuses it' : 'gave no verdict';
  return `${name} ${verb}: ${detail.trim().slice(0, DETAIL_CHARS_MAX) || 'it does not say why'}`;
}
