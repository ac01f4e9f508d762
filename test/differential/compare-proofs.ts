/**
 * Compares the verifier with Lean's own objects on the same random proof texts. A false statement must never be proved.
 * On texts that pass the screen the two must agree, unless one of them did not finish. A text on which they disagree is
 * tried again alone, so that only its own effect is reported.
 */
import { screenProof, type Verifier } from '@stp/lean-verifier';
import type { Answer, Oracle } from './oracle.ts';
import type { RandomProof } from './random-proof.ts';

export interface Tally {
  texts: number;
  /** Passed by the screen. */
  passed: number;
  proved: number;
  /** Both gave the same result. */
  compared: number;
  /** One of the two did not finish. */
  unclear: number;
  /** For people: what was wrong, with seed and text. */
  readonly failures: string[];
}

/** Lean reads no tabs; for us they indent. */
const untabbed = <Proof extends { readonly text: string }>(proof: Proof): Proof => ({
  ...proof,
  text: proof.text.replace(/^[ \t]+/gmu, (indentation) =>
    [...indentation].reduce((blanks, one) => blanks + (one === '\t' && blanks.length % 2 === 0 ? '  ' : ' '), ''),
  ),
});

type OurAnswer = Answer | 'refused';

export async function compareProofs(
  proofs: readonly RandomProof[],
  verifier: Verifier,
  oracle: Oracle,
): Promise<Tally> {
  const passing = proofs.filter(({ text }) => screenProof(text).accepted);
  const [ours, theirs] = await Promise.all([askVerifier(proofs, verifier), oracle.ask(passing.map(untabbed))]);
  const tally: Tally = {
    texts: proofs.length,
    passed: passing.length,
    proved: 0,
    compared: 0,
    unclear: 0,
    failures: [],
  };
  const own = new Map(proofs.map((proof, index) => [proof, ours[index]!]));
  tally.proved = ours.filter((answer) => answer === 'proof').length;
  for (const proof of proofs)
    if (!proof.isTrue && own.get(proof) === 'proof') tally.failures.push(told('A FALSE STATEMENT IS PROVED', proof));
  for (const [index, proof] of passing.entries()) {
    const [mine, lean] = [own.get(proof)!, theirs[index]!];
    if (!proof.isTrue && lean === 'proof') tally.failures.push(told('the object proves a false statement', proof));
    if (mine === 'unclear' || lean === 'unclear') tally.unclear += 1;
    else if (mine === lean) tally.compared += 1;
    else {
      const again = (await askVerifier([proof], verifier))[0]!;
      const alone = (await oracle.ask([untabbed(proof)]))[0]!;
      if (again === alone) tally.compared += 1;
      else if (again === 'unclear' || alone === 'unclear') tally.unclear += 1;
      else tally.failures.push(told(`the verifier says ${again}, the object says ${alone}`, proof));
    }
  }
  return tally;
}

export function addTally(sum: Tally, more: Tally): void {
  for (const key of ['texts', 'passed', 'proved', 'compared', 'unclear'] as const) sum[key] += more[key];
  sum.failures.push(...more.failures);
}

async function askVerifier(proofs: readonly RandomProof[], verifier: Verifier): Promise<OurAnswer[]> {
  const candidates = proofs.map(({ signature, text }, index) => ({
    id: String(index),
    header: null,
    statement: `theorem claim${signature}`,
    proof: text,
  }));
  const results = await verifier.check(candidates, { smallLimitsOnly: true });
  return results.map(({ kind }): OurAnswer => {
    if (kind === 'proved') return 'proof';
    if (kind === 'forbidden') return 'refused';
    return ['timeout', 'oom', 'crash', 'infra'].includes(kind) ? 'unclear' : 'no proof';
  });
}

function told(what: string, { seed, signature, text }: RandomProof): string {
  return `${what}; to keep it: ${JSON.stringify({ seed, signature, text })}\ntheorem claim${signature} := by\n${text}`;
}
