/**
 * Measures the same small proofs through `bin/stp lean serve`, one request each: by Kimina's published client, which
 * gets Lean's own answer, and by `/api/verify`, whose verdict rests on the compiled object and the second kernel. If
 * pip cannot get the client, a message says so instead.
 */
import type { Candidate } from '@stp/lean-verifier';
import { smallPython } from '../../test/python/small-environment.ts';
import { startLeanService } from '../../test/support/lean-service.ts';
import { median, row } from './measure.ts';

/** @param warmUp number of first proofs, which are not counted */
export async function benchServedProofs(proofs: readonly Candidate[], warmUp: number): Promise<void> {
  const service = await startLeanService({ args: ['--no-key', '--sandbox', 'off'] });
  try {
    const python = await smallPython('kimina', 'the row of Kimina’s client');
    if (python !== null) {
      const snippets = proofs.map(({ header, statement, proof }) => `${header}\n\n${statement} := by\n${proof}\n`);
      const { valid, ms } = (await python('kimina_times.py', { url: service.url, snippets })) as Times;
      if (valid !== snippets.length)
        throw new Error(`Kimina’s client calls ${valid} of ${snippets.length} proofs valid`);
      row('Kimina’s client, Lean’s word alone: median', median(ms.slice(warmUp)), 'ms', 0);
    }
    const ms: number[] = [];
    for (const { id, header, statement, proof } of proofs) {
      const started = performance.now();
      const response = await fetch(`${service.url}/api/verify`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ rows: [{ id, header, statement, proof }] }),
      });
      const answer = await response.text();
      if (!answer.includes('"verdict":"proved"')) throw new Error(`a proof of the bench is not proved: ${answer}`);
      ms.push(performance.now() - started);
    }
    row('/api/verify, each proof of another statement: median', median(ms.slice(warmUp)), 'ms', 0);
  } finally {
    await service.close();
  }
}

interface Times {
  readonly valid: number;
  readonly ms: readonly number[];
}
