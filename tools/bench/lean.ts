/** Measures verification: checks per second of correct proofs, of wrong proofs, and of text that is not a proof. */
import { type Candidate, LIBRARY_HEADER, openVerifier } from '@stp/lean-verifier';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';
import { repositorySources } from '../../workers/sources.ts';
import { median, row } from './measure.ts';

const ROUNDS = 3;
const CANDIDATES = 400;

export async function benchLean(directory: string): Promise<void> {
  const environment = await leanEnvironment(workerSettings(), () => undefined);
  const theorems = (await repositorySources().libraryTheorems()).slice(0, CANDIDATES);
  const candidate = (index: number, proof: string): Candidate => {
    const { name, header, statement } = theorems[index]!;
    return { id: name, header, statement, proof };
  };
  const mixes: readonly (readonly [string, readonly Candidate[]])[] = [
    ['proofs that hold', theorems.map(({ proof }, index) => candidate(index, proof))],
    [
      "other theorems' proofs",
      theorems.map((_, index) => candidate(index, theorems[(index + 37) % theorems.length]!.proof)),
    ],
    ['broken text', theorems.map(({ proof }, index) => candidate(index, proof.slice(0, Math.ceil(proof.length / 2))))],
  ];
  for (const [name, candidates] of mixes) {
    const rates: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const started = performance.now();
      const verifier = await openVerifier({
        environment,
        libraryHeader: LIBRARY_HEADER,
        processes: 2,
        cacheDirectory: null,
        scratchDirectory: directory,
      });
      await verifier.check(candidates);
      await verifier.close();
      rates.push(candidates.length / ((performance.now() - started) / 1_000));
    }
    row(`Lean, 2 processes: ${name}`, median(rates), 'checks/s');
  }
}
