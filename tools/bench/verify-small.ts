/**
 * Measures small proofs one by one, as an agent or a trainer sends them. Compares the verifier, with judged objects and
 * the second kernel, with one process of plain Lean for each proof: time and processor time of an answer. Then measures
 * how busy eight clients keep the cores, and the same proofs through the HTTP service. It uses no sandbox, because a
 * sandbox hides processor time. Processor time includes the warm processes. Takes a minute of two cores.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Candidate, type LeanEnvironment, LIBRARY_HEADER, openVerifier, type Verifier } from '@stp/lean-verifier';
import { compileModule, DRIVER_MEMORY_BYTES_MAX } from '@stp/lean-verifier/testing';
import type { WorkerSettings } from '../../workers/settings.ts';
import { median, processorSeconds, row } from './measure.ts';
import { benchServedProofs } from './verify-served.ts';

const PROOFS = 24;
const CLIENTS = 8;
/** Number of proofs before the measurement, which warm up processes and readers. */
const WARM_UP = 4;
const HEADER = 'import Init';
const RUN_MARK = `bench-${process.pid}`;

const proofOf = (number: number): Candidate => ({
  id: String(number),
  header: HEADER,
  statement: `theorem t (a b : Nat) : a + b + ${number} = b + a + ${number}`,
  proof: '  omega',
});
/** Makes one of many proofs of the same statement. */
const sampleOf = (number: number): Candidate => ({
  ...proofOf(0),
  id: String(number),
  proof: `  have := ${number}\n  omega`,
});

export async function benchSmallProofs(
  environment: LeanEnvironment,
  { cacheDirectory }: WorkerSettings,
  directory: string,
): Promise<void> {
  const setup = { environment, directory, indexFolder: join(cacheDirectory, 'constants') };
  const plain = await measured(WARM_UP + PROOFS, async (number) => {
    const { statement, proof } = proofOf(number);
    const { path, failure } = await compileModule({
      processContext: { environment, workingDirectory: directory, runMark: RUN_MARK },
      module: 'Plain',
      text: `${HEADER}\n${statement} := by\n${proof}\n`,
      directory: join(directory, 'plain'),
      deadlineMs: 60_000,
      memoryBytesMax: DRIVER_MEMORY_BYTES_MAX,
    });
    if (path === null) throw new Error(`plain Lean does not compile a proof of the bench: ${failure}`);
  });
  tell('plain Lean, a process a proof', plain);
  for (const [name, candidate] of [
    ['warm verifier, each proof of another statement', proofOf],
    ['warm verifier, proofs of one statement', sampleOf],
  ] as const)
    tell(
      name,
      await withVerifier(setup, (verifier) =>
        measured(WARM_UP + PROOFS, (number) => check(verifier, candidate(number))),
      ),
    );
  // Other numbers than above, so that no verdict is cached.
  const served = Array.from({ length: WARM_UP + PROOFS }, (_, number) => proofOf(2_000_000 + number));
  await benchServedProofs(served, WARM_UP);
  const clients = await withVerifier(setup, async (verifier) => {
    for (let number = 0; number < WARM_UP; number++) await check(verifier, proofOf(1_000_000 + number));
    const started = performance.now();
    const before = await processorSeconds(RUN_MARK);
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        for (let at = 0; at < PROOFS / 2; at++) await check(verifier, proofOf(client * PROOFS + at));
      }),
    );
    const seconds = (performance.now() - started) / 1_000;
    return { seconds, busySeconds: (await processorSeconds(RUN_MARK)) - before };
  });
  row(`${CLIENTS} clients`, (CLIENTS * PROOFS) / 2 / clients.seconds, 'proofs/s', 1);
  row(
    '  time that cores were busy for them',
    (clients.busySeconds / clients.seconds / availableParallelism()) * 100,
    '%',
    0,
  );
}

interface Measured {
  readonly medianMs: number;
  readonly processorMs: number;
}

function tell(name: string, { medianMs, processorMs }: Measured): void {
  row(`${name}: median`, medianMs, 'ms', 0);
  row('  processor time', processorMs, 'ms a proof', 0);
}

/** Measures the work one by one; the first ones are a warm-up. */
async function measured(count: number, work: (number: number) => Promise<void>): Promise<Measured> {
  const times: number[] = [];
  let before = 0;
  for (let number = 0; number < count; number++) {
    if (number === WARM_UP) before = await processorSeconds(RUN_MARK);
    const started = performance.now();
    await work(number);
    if (number >= WARM_UP) times.push(performance.now() - started);
  }
  const processorMs = (((await processorSeconds(RUN_MARK)) - before) * 1_000) / times.length;
  return { medianMs: median(times), processorMs };
}

async function check(verifier: Verifier, candidate: Candidate): Promise<void> {
  const [result] = await verifier.check([candidate]);
  if (result?.kind !== 'proved')
    throw new Error(`a proof of the bench is ${result?.kind}: ${result?.messages[0]?.text}`);
}

async function withVerifier<T>(
  setup: { environment: LeanEnvironment; directory: string; indexFolder: string },
  work: (verifier: Verifier) => Promise<T>,
): Promise<T> {
  const { environment, directory, indexFolder } = setup;
  const verifier = await openVerifier({
    environment,
    indexFolder,
    libraryHeader: LIBRARY_HEADER,
    cacheDirectory: null,
    scratchDirectory: directory,
    processes: availableParallelism(),
    driver: 'server',
    runMark: RUN_MARK,
  });
  try {
    return await work(verifier);
  } finally {
    await verifier.close();
  }
}
