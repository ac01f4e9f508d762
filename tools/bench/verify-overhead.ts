/**
 * Measures what the pool and the verifier add to a check: sessions that take 10 ms each and always accept replace Lean,
 * so that all other time is ours: screening, files, keys, scheduling, reading.
 */

import { openPool, openVerifier } from '@stp/lean-verifier';
import type { LeanDriver, LeanSession } from '@stp/lean-verifier/testing';
import { cpuSeconds, row } from './measure.ts';

const CHECKS = 500;
const CHECK_MS = 10;
const PROCESSES = [2, 16, 64];

export async function benchPoolOverhead(directory: string): Promise<void> {
  for (const processes of PROCESSES) {
    const { driver, ranMs } = sleepingDriver();
    const pool = openPool({ driver, processes, memoryBytesMax: 1 });
    const environment = {
      source: 'configured',
      executable: 'none',
      version: 'stand-in',
      searchPath: [],
      fingerprint: '',
      toleratesLibraryAxioms: false,
    } as const;
    const verifier = await openVerifier({
      environment,
      pool,
      libraryHeader: '',
      cacheDirectory: null,
      scratchDirectory: directory,
    });
    const candidates = Array.from({ length: CHECKS * Math.ceil(processes / 8) }, (_, index) => ({
      id: String(index),
      header: null,
      statement: `theorem t (a b : Nat) : a + b + ${index} = b + a + ${index}`,
      proof: '  omega',
    }));
    const [started, cpuBefore] = [performance.now(), cpuSeconds()];
    await verifier.check(candidates);
    const wallMs = performance.now() - started;
    const cpuMs = (cpuSeconds() - cpuBefore) * 1_000;
    await verifier.close();
    await pool.close();
    row(
      `Pool, checks of ${CHECK_MS} ms on ${processes} processes: added`,
      ((wallMs * processes) / ranMs() - 1) * 100,
      '%',
      1,
    );
    row('  processor time of ours', cpuMs / candidates.length, 'ms a check', 2);
  }
}

function sleepingDriver(): { driver: LeanDriver; ranMs: () => number } {
  let ranMs = 0;
  const session = (header: string): LeanSession => {
    let uses = 0;
    return {
      header,
      pid: 1,
      isAlive: true,
      get uses() {
        return uses;
      },
      residentBytes: async () => 0,
      async run({ body, onMessage }) {
        uses += 1;
        const started = performance.now();
        await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
        ranMs += performance.now() - started;
        const start = header.split('\n').length + 1;
        for (const [index, text] of body.split('\n').entries()) {
          const said = /^#print (?:"(.*)"|axioms (\S+))/.exec(text);
          if (said === null) continue;
          const answer = said[1] ?? `'${said[2]}' does not depend on any axioms`;
          onMessage({ severity: 'information', line: start + index, column: 0, text: answer }, () => {});
        }
        return { how: 'finished', code: 0, signal: null, stderr: '', cpuMs: 0, peakResidentBytes: 0 };
      },
      close: async () => {},
    };
  };
  return {
    driver: {
      name: 'server',
      candidatesPerRun: 1,
      open: async (header) => ({ kind: 'open', session: session(header), headerMs: 0 }),
    },
    ranMs: () => ranMs,
  };
}
