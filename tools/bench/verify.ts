/**
 * Compares verification by driver: proofs per second and core with the pool, with one process per proof, and with a
 * fixed split (STP: batches of 40), on library proofs with and without runaways. Also measures how busy the pool keeps
 * its processes, and small proofs one by one (`verify-small.ts`). Takes about seven minutes of two cores.
 *
 * LeanInteract and the Kimina server have no rows. Both need a REPL built by `lake build` for the Lean in use
 * (LeanInteract 0.11.6 also starts each process through `lake env`), and an assembled Lean has neither `lake` nor a
 * compiler.
 */
import {
  type Candidate,
  type CheckResult,
  type DriverName,
  type LeanEnvironment,
  LIBRARY_HEADER,
  openVerifier,
} from '@stp/lean-verifier';
import { openCheckPool } from '@stp/lean-verifier/testing';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';
import { repositorySources } from '../../workers/sources.ts';
import { cpuSeconds, endedChildrenCpuSeconds, row } from './measure.ts';
import { benchSmallProofs } from './verify-small.ts';

const PROOFS = 240;
const PROCESSES = 2;
/** Share of a prover's samples that run until a limit (PrimeIntellect lean-verifier: 4.5 %, n = 1000). */
const RUNAWAY_SHARE = 0.045;
/** Number of proofs in a batch of STP (App. A). */
const STATIC_BATCH = 40;

interface Way {
  readonly name: string;
  readonly driver: DriverName;
  readonly batchSize?: number;
  /** Whether every process gets its share beforehand. */
  readonly fixedSplit?: true;
  /** Whether accepted proofs are judged as compiled objects too; otherwise Lean's answer alone counts. */
  readonly confirm?: true;
}
const WAYS: readonly Way[] = [
  { name: 'pool, driver json', driver: 'json' },
  { name: 'pool, driver json, objects judged', driver: 'json', confirm: true },
  { name: 'pool, driver server', driver: 'server' },
  { name: 'one process per proof', driver: 'json', batchSize: 1 },
  { name: `fixed split, batches of ${STATIC_BATCH}`, driver: 'json', batchSize: STATIC_BATCH, fixedSplit: true },
];

export async function benchVerify(directory: string): Promise<void> {
  const settings = workerSettings();
  const environment = await leanEnvironment(settings, () => undefined);
  await benchSmallProofs(environment, settings, directory);
  const theorems = await repositorySources().libraryTheorems();
  // Proofs are spread over the whole library, since files differ in cost.
  const step = Math.floor(theorems.length / PROOFS);
  const proofs = Array.from({ length: PROOFS }, (_, index): Candidate => {
    const { name, header, statement, proof } = theorems[index * step]!;
    return { id: name, header, statement, proof };
  });
  const every = Math.round(1 / RUNAWAY_SHARE);
  const mixed = proofs.map((one, index) =>
    index % every === every - 1 ? { ...one, proof: `  have := ${index}\n  repeat skip` } : one,
  );
  for (const [name, candidates] of [
    ['library proofs', proofs],
    ['with 4.5 % runaways', mixed],
  ] as const) {
    let first: readonly CheckResult[] | null = null;
    for (const way of WAYS) {
      const { results, seconds, processorSeconds, utilisation } = await measure(
        way,
        candidates,
        environment,
        directory,
      );
      row(`Lean, ${name}: ${way.name}`, candidates.length / seconds / PROCESSES, 'proofs/s per core', 2);
      row(
        '  without what else the machine does',
        candidates.length / processorSeconds,
        'proofs/s of processor time',
        2,
      );
      row('  time that processes were busy', utilisation * 100, '%', 1);
      first ??= results;
      const differing = results.filter(({ kind }, index) => kind !== first![index]!.kind);
      const kinds = [...Map.groupBy(differing, ({ kind }) => kind)].map(([kind, some]) => `${some.length} ${kind}`);
      if (kinds.length > 0) console.log(`  verdicts that differ from the first row's: ${kinds.join(', ')}`);
    }
  }
}

async function measure(way: Way, candidates: readonly Candidate[], environment: LeanEnvironment, directory: string) {
  const parts = way.fixedSplit === undefined ? 1 : PROCESSES;
  const size = Math.ceil(candidates.length / parts);
  const processContext = { environment, workingDirectory: directory };
  const open = Array.from({ length: parts }, async (_, part) => {
    const pool = openCheckPool(processContext, { driver: way.driver, processes: PROCESSES / parts });
    const verifier = await openVerifier({
      environment,
      pool,
      libraryHeader: LIBRARY_HEADER,
      cacheDirectory: null,
      scratchDirectory: directory,
      ...(way.batchSize === undefined ? {} : { batchSize: way.batchSize }),
    });
    return { pool, verifier, candidates: candidates.slice(part * size, (part + 1) * size) };
  });
  const opened = await Promise.all(open);
  const processorBefore = cpuSeconds() + endedChildrenCpuSeconds();
  const started = performance.now();
  const results = await Promise.all(
    opened.map((one) => one.verifier.check(one.candidates, { confirm: way.confirm ?? false })),
  );
  const seconds = (performance.now() - started) / 1_000;
  const busyMs = opened.reduce((sum, { pool }) => sum + pool.stats().runMs + pool.stats().headerMs, 0);
  // Processor time is counted only after the processes have ended.
  for (const { verifier, pool } of opened) {
    await verifier.close();
    await pool.close();
  }
  const processorSeconds = cpuSeconds() + endedChildrenCpuSeconds() - processorBefore;
  return { results: results.flat(), seconds, processorSeconds, utilisation: busyMs / 1_000 / seconds / PROCESSES };
}
