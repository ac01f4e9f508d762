/** The tools for comparing random texts: Lean, a sandbox if there is one, the verifier, and the oracle. */
import { rmSync } from 'node:fs';
import { type LeanEnvironment, openVerifier } from '@stp/lean-verifier';
import { coreEnvironment, scratchFolder } from '@stp/lean-verifier/testing';
import { machineSandbox } from '../support/sandbox.ts';
import { compareFile, emptyFileTally, type FileTally } from './compare-files.ts';
import { addTally, compareProofs, type Tally } from './compare-proofs.ts';
import { KEPT_FILES, KEPT_PROOFS } from './kept-seeds.ts';
import { Oracle } from './oracle.ts';
import { STATEMENTS } from './pieces.ts';
import { randomFile } from './random-file.ts';
import { randomProof } from './random-proof.ts';

/** Texts of one comparison; between two of them the count is printed. */
const CHUNK = 5_000;

async function open() {
  const environment: LeanEnvironment = await coreEnvironment();
  const sandbox = await machineSandbox(environment);
  const walls = sandbox === null ? {} : { sandbox };
  const scratchDirectory = scratchFolder();
  const end = (): void => rmSync(scratchDirectory, { recursive: true, force: true });
  return { environment, walls, scratchDirectory, end };
}

/** The kept texts, then those of so many seeds from `first`. Ends early where something was found. */
export async function compareManyProofs(texts: number, first = 0): Promise<Tally> {
  const { environment, walls, scratchDirectory, end } = await open();
  const limits = { candidateTimeoutMs: 2_500, memoryBytesMax: 2_147_483_648 };
  const settings = { libraryHeader: '', processes: 2, cacheDirectory: null, scratchDirectory, ...limits };
  const verifier = await openVerifier({ environment, ...settings, ...walls });
  const signatures = [...new Set([...STATEMENTS, ...KEPT_PROOFS].map(({ signature }) => signature))];
  const oracle = new Oracle({ environment, workingDirectory: scratchDirectory, ...walls }, signatures);
  try {
    const tally = await compareProofs(KEPT_PROOFS, verifier, oracle);
    for (let start = 0; start < texts && tally.failures.length === 0; start += CHUNK) {
      const proofs = Array.from({ length: Math.min(CHUNK, texts - start) }, (_, index) =>
        randomProof(first + start + index),
      );
      addTally(tally, await compareProofs(proofs, verifier, oracle));
      console.log(JSON.stringify({ ...tally, failures: tally.failures.length }));
    }
    return tally;
  } finally {
    await verifier.close();
    end();
  }
}

/** The kept files, then those of the seeds from 0, two at a time. */
export async function compareManyFiles(files: number): Promise<FileTally> {
  const { environment, walls, scratchDirectory, end } = await open();
  const tally = emptyFileTally();
  const all = Iterator.from([...KEPT_FILES, ...Array.from({ length: files }, (_, seed) => randomFile(seed))]);
  const work = async (): Promise<void> => {
    for (const file of all) await compareFile(file, environment, { scratchDirectory, ...walls }, tally);
  };
  try {
    await Promise.all([work(), work()]);
    console.log(JSON.stringify({ ...tally, failures: tally.failures.length }));
    return tally;
  } finally {
    end();
  }
}
