/**
 * Traces the proofs of library theorems, their own and those found by search, and writes `data/sft/steps.jsonl`. Run it
 * after changes of the library or of `data/sft/search.jsonl`:
 *
 *     node packages/lean-explore/library/trace-main.ts [--minutes N]
 *
 * Rows with the same Lean, library and proof are kept, so another run continues an unfinished one. `--minutes` ends a
 * run early. Rows of theorems' own proofs contain the complete states, for the export (`bin/stp data export`). It needs
 * an installed Lean (`bin/stp setup`), two cores and, for a complete file, half an hour.
 */
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compileLibrary, LIBRARY_HEADER, limitClasses, MEMORY_BYTES_MAX, resolveToolchain } from '@stp/lean-verifier';
import { openSteps } from '../step/open-steps.ts';
import type { StepState } from '../step/step.ts';
import { traceProof } from '../step/trace.ts';
import { readTraced, type TracedProof, tracedProofId } from '../step/traced-file.ts';
import { extractLibrary } from './extract.ts';

const PROCESSES = 2;
const KEPT_EVERY_MS = 60_000;
const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
const SEARCHED_FILE = path.join(REPOSITORY, 'data/sft/search.jsonl');
const TRACED_FILE = path.join(REPOSITORY, 'data/sft/steps.jsonl');
const STEP = { deadlineMs: 6_000 };

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '1000' } } });
const endsAtMs = Date.now() + 60_000 * Number(values.minutes);
const cacheDirectory = path.join(REPOSITORY, '.cache');
const library = path.join(REPOSITORY, 'data/library');
const environment = await compileLibrary({
  toolchain: await resolveToolchain({ cacheDirectory, install: 'never' }),
  sourceDirectories: [{ directory: library, modulePrefix: 'Stp' }],
  cacheDirectory,
});
const head = { leanVersion: environment.version, fingerprint: environment.fingerprint };
const earlier = await readTraced(TRACED_FILE);
const rows = new Map<string, TracedProof>();
for (const row of earlier?.head.fingerprint === head.fingerprint ? earlier.rows : []) rows.set(row.proof, row);

const { theorems } = await extractLibrary(library);
const searched = Map.groupBy(await searchedProofs(), ({ theorem }) => theorem);
/**
 * Trace the own proofs of all theorems first, then the first found proofs, so that a run that ends early covers many
 * theorems.
 */
const wanted = theorems
  .flatMap((theorem) => {
    const proofs = [theorem.proof, ...(searched.get(theorem.name) ?? []).map(({ proof }) => proof)];
    return proofs.map((proof, rank) => ({ theorem, proof, rank, id: tracedProofId(theorem, proof) }));
  })
  .sort((left, right) => left.rank - right.rank);
const order = new Map(wanted.map(({ id }, index) => [id, index]));
const open = wanted.filter(({ id }) => !rows.has(id));
console.error(`${wanted.length} proofs, ${open.length} to trace, ${environment.version}`);

const workingDirectory = await mkdtemp(path.join(tmpdir(), 'stp-trace-'));
const { heartbeatsMax, memoryBytesMax } = limitClasses({ candidateTimeoutMs: 0, memoryBytesMax: MEMORY_BYTES_MAX }).big;
const kept = setInterval(() => void keep(), KEPT_EVERY_MS);
await Promise.all(Array.from({ length: PROCESSES }, traceOpen));
clearInterval(kept);
await keep();
await rm(workingDirectory, { recursive: true, force: true });

async function traceOpen(): Promise<void> {
  const steps = openSteps({
    environment,
    libraryHeader: LIBRARY_HEADER,
    workingDirectory,
    heartbeatsMax,
    memoryBytesMax,
  });
  const roots = new Map<string, StepState | null>();
  for (let next = open.shift(); next !== undefined && Date.now() < endsAtMs; next = open.shift()) {
    const { theorem, proof, rank, id } = next;
    if (!roots.has(theorem.name)) {
      const goal = await steps.openGoal(theorem.header, theorem.statement, STEP);
      roots.set(theorem.name, goal.kind === 'open' ? goal.state : null);
    }
    const root = roots.get(theorem.name) ?? null;
    const traced = root === null ? [] : await traceProof(root, proof, STEP);
    const kept = rank === 0 ? traced : traced.map(({ goal, tactic }) => ({ goal, tactic }));
    rows.set(id, { theorem: theorem.name, proof: id, steps: kept });
  }
  await steps.close();
}

async function keep(): Promise<void> {
  const inOrder = [...rows.values()]
    .filter(({ proof }) => order.has(proof))
    .sort((left, right) => order.get(left.proof)! - order.get(right.proof)!);
  await writeFile(`${TRACED_FILE}.partial`, [head, ...inOrder].map((row) => `${JSON.stringify(row)}\n`).join(''));
  await rename(`${TRACED_FILE}.partial`, TRACED_FILE);
  const failed = inOrder.filter(({ steps }) => steps.length === 0).length;
  console.error(`${inOrder.length} of ${wanted.length} proofs traced, ${failed} of them without steps`);
}

async function searchedProofs(): Promise<{ theorem: string; proof: string }[]> {
  const lines = (await readFile(SEARCHED_FILE, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as { theorem: string; proof: string });
}
