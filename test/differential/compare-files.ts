/** Compares the report of `checkFile` with the known facts about a random file. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckFileOptions, checkFile, type FileReport, type LeanEnvironment } from '@stp/lean-verifier';
import type { RandomFile } from './random-file.ts';

export interface FileTally {
  files: number;
  /** Not compiled, since the file's text may hold what cannot be judged from outside. */
  refused: number;
  /** Lean says that they have errors. */
  wrong: number;
  /** Compiled and compared. */
  compared: number;
  theorems: number;
  accepted: number;
  /** For people: what was wrong, with seed and text. */
  readonly failures: string[];
}

export const emptyFileTally = (): FileTally => ({
  files: 0,
  refused: 0,
  wrong: 0,
  compared: 0,
  theorems: 0,
  accepted: 0,
  failures: [],
});

export async function compareFile(
  file: RandomFile,
  environment: LeanEnvironment,
  options: CheckFileOptions,
  tally: FileTally,
): Promise<void> {
  const path = join(options.scratchDirectory, `random${file.seed}.lean`);
  writeFileSync(path, file.text);
  const report = await checkFile(path, environment, options);
  const accepted = report.theorems.filter(({ verdict }) => verdict === 'accepted');
  tally.files += 1;
  tally.theorems += report.theorems.length;
  tally.accepted += accepted.length;
  if (report.exit === null) tally.refused += 1;
  else if (report.messages.some(({ severity }) => severity === 'error')) tally.wrong += 1;
  else tally.compared += 1;
  const objections = objectionsTo(file, report);
  if (objections.length > 0)
    tally.failures.push(`${objections.join('\n')}\nto keep it: ${JSON.stringify(file)}\n${file.text}`);
}

function objectionsTo({ facts }: RandomFile, report: FileReport): string[] {
  const known = new Map(facts.map((fact) => [fact.name, fact]));
  const listed = Map.groupBy(report.theorems, ({ name }) => name);
  const objections = report.theorems
    .filter(({ name, verdict }) => verdict === 'accepted' && known.get(name)?.isSound === false)
    .map(({ name }) => `ACCEPTED WITHOUT A PROOF: ${name}`);
  const isCompiled = report.exit === 'finished' && report.messages.every(({ severity }) => severity !== 'error');
  if (!isCompiled) {
    if (report.outcome === 'accepted') objections.push('a file that was not compiled is accepted');
    if (report.exit !== null && report.exit !== 'finished') objections.push(`Lean ended by ${report.exit}`);
    return objections;
  }
  for (const { name, isSound, isListed } of facts) {
    const reports = listed.get(name) ?? [];
    if (reports.length > 1 || (isListed && reports.length === 0))
      objections.push(`${name} is listed ${reports.length} times`);
    for (const { verdict, message } of reports)
      if (verdict !== (isSound ? 'accepted' : 'rejected')) objections.push(`${name} is ${verdict}: ${message}`);
  }
  for (const name of listed.keys()) if (!known.has(name)) objections.push(`nobody wrote ${name}`);
  if (report.outcome === 'accepted' && facts.some(({ isSound, isListed }) => isListed && !isSound))
    objections.push('the file is accepted as a whole');
  return objections;
}
