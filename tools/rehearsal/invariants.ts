/** Checks what must hold after a run, whatever happened to it. It returns each problem in words; none if all is well. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { summarySchema } from '@stp/config/records';
import type { BucketRequest } from './bucket.ts';
import { type Installation, WORKERS } from './installation.ts';

/**
 * Objects with the same bytes in every run of one seed. Others hold times (`samples`, `verdicts`, certificates, reports,
 * tables of the report) or what they refer to by address and generation (`*.json`).
 */
const SAME_BYTES =
  /(?:\/(?:items|conjectures|rates|examples|statements|theorems|eval|canaries|held-out-keys)\.jsonl|proofs\.lean|model\.safetensors|tokenizer\.json)$/;
/** Proofs, which are equal except for times and hashes in their certificates. */
const PROOFS = /\/proved(?:-by-scripts)?-[0-9a-f]{12}\.jsonl$/;
const DIFFERENCES_MAX = 5;
/** Hash in a name that depends on contents with times. */
const CONTENT_HASH = /-[0-9a-f]{12}(?=\.jsonl$)/;
/** Intermediate verdicts of a check; their number depends on its duration. */
const BY_TIME = /\/verdict-parts\//;
const PROCESSES_OF_RUNS = /lean-native|lean --|bwrap|-child\.ts/;

/** Objects of a run by name, without hashes that depend on times, and the bytes of those that must be equal. */
export interface Kept {
  readonly names: readonly string[];
  readonly bytes: ReadonlyMap<string, string>;
  readonly summary: unknown;
}

export async function readKept(folder: string): Promise<Kept> {
  const nameOf = (path: string): string => path.slice(folder.length + 1).replace(CONTENT_HASH, '-*');
  const all = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const bytes = new Map<string, string>();
  for (const path of all)
    if (SAME_BYTES.test(path)) bytes.set(path.slice(folder.length + 1), await readFile(path, 'latin1'));
    else if (PROOFS.test(path)) bytes.set(nameOf(path), withoutJudgements(await readFile(path, 'utf8')));
  const { run, secondsPerStage, cost, ...found } = summarySchema.parse(
    JSON.parse(await readFile(join(folder, 'summary.json'), 'utf8')),
  );
  const summary = { ...found, rounds: found.rounds.map(({ leanSeconds, ...round }) => round) };
  const names = [...new Set(all.map(nameOf))].filter((name) => !BY_TIME.test(name));
  return { names: names.sort(), bytes, summary };
}

function withoutJudgements(lines: string): string {
  const proofs = lines.split('\n').filter((line) => line !== '');
  return proofs.map((line) => JSON.stringify({ ...JSON.parse(line), certificate: null, checkMs: 0 })).join('\n');
}

export function differences(reference: Kept, other: Kept): string[] {
  const problems: string[] = [];
  if (JSON.stringify(reference.summary) !== JSON.stringify(other.summary)) problems.push('summary.json differs');
  for (const name of reference.names) if (!other.names.includes(name)) problems.push(`${name} is missing`);
  for (const name of other.names) if (!reference.names.includes(name)) problems.push(`${name} is there besides`);
  for (const [name, content] of reference.bytes)
    if (other.bytes.has(name) && other.bytes.get(name) !== content) problems.push(`${name} differs`);
  return problems.length <= DIFFERENCES_MAX
    ? problems
    : [...problems.slice(0, DIFFERENCES_MAX), `${problems.length - DIFFERENCES_MAX} more differences`];
}

/**
 * Finds shards that were done twice: a machine read the existing object that says “done”, and still stored results. An
 * attempt that was given up as lost may end late, but it looked before that object existed.
 */
export function doneTwice(requests: readonly BucketRequest[], prefix: string): string[] {
  const problems = new Set<string>();
  const doneAt = new Map<string, number>();
  const lookedAfter = new Set<string>();
  for (const { line, peer, at, trouble } of requests) {
    const name = objectOf(line);
    if (name === null || !name.startsWith(prefix)) continue;
    const done = /^(.*)\/(sampled|verified)\.json$/.exec(name);
    const isUpload = line.startsWith('POST ');
    if (done && isUpload && (trouble === null || trouble === 'drop-answer') && !doneAt.has(name)) doneAt.set(name, at);
    else if (done && !isUpload && doneAt.has(name)) lookedAfter.add(`${peer} ${name}`);
    const result = /^(.*)\/(samples|verdicts)-[0-9a-f]+\.jsonl$/.exec(name);
    const says = result ? `${result[1]}/${result[2] === 'samples' ? 'sampled' : 'verified'}.json` : '';
    if (isUpload && lookedAfter.has(`${peer} ${says}`)) problems.add(`${says} was there, and was done again`);
  }
  return [...problems];
}

function objectOf(line: string): string | null {
  const url = new URL(line.split(' ')[1]!, 'http://bucket');
  const named = url.searchParams.get('name') ?? /\/o\/([^/?]+)$/.exec(url.pathname)?.[1];
  return named === undefined ? null : decodeURIComponent(named);
}

/** Finds processes, scratch files, uploads and workflows that the run left behind. */
export async function leftBehind(installation: Installation, run: string): Promise<string[]> {
  const problems: string[] = [];
  for (const name of WORKERS) {
    const machine = installation.machine(name);
    const pids = await machine.pids(PROCESSES_OF_RUNS);
    if (pids.length > 0) problems.push(`${name}: ${pids.length} processes of the run`);
    const scratch = await readdir(join(machine.disk, 'home/prover/cache/scratch')).catch(() => []);
    for (const folder of scratch) problems.push(`${name}: scratch ${folder}`);
  }
  for (const session of await installation.bucket.openSessions())
    if (session.includes(`/${run}/`)) problems.push(`an upload of ${session} is open`);
  const query = `ExecutionStatus = 'Running' AND StpRun = '${run}'`;
  const { stdout } = await installation.onControl('temporal', ['workflow', 'count', '--query', query], {
    reject: false,
  });
  if (!/Total: 0/.test(String(stdout))) problems.push(`open workflows: ${String(stdout).trim()}`);
  return problems;
}

/** Finds logs and objects that contain a secret. */
export async function secretsIn(folders: readonly string[], secrets: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  for (const folder of folders)
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const text = await readFile(path, 'latin1').catch(() => '');
      if (secrets.some((secret) => text.includes(secret))) problems.push(`a secret is in ${path}`);
    }
  return problems;
}
