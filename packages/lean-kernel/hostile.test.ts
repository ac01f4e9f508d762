/**
 * Hostile preludes prove nothing false. `STP_KERNEL_HOSTILE` sets how many, `STP_KERNEL_HOSTILE_SEED` which. Over a version of the
 * kernel with known faults the same preludes find a proof of everything in one of fifty.
 */
import { expect, it } from 'vitest';
import { hostile } from './testing/hostile-prelude.ts';
import { Random } from './testing/mutate.ts';

const SEED = Number(process.env.STP_KERNEL_HOSTILE_SEED ?? 48);
const ATTEMPTS = 40;

function play(count: number): void {
  const found: string[] = [];
  const counts = { attempts: 0, accepted: 0 };
  for (let at = 0; at < count; at++) {
    const result = hostile(new Random(SEED + at), ATTEMPTS);
    counts.attempts += result.attempts;
    counts.accepted += result.accepted;
    if (result.proofs.length > 0)
      found.push(`seed ${SEED + at}, ${result.changed.join('; ')}: ${result.proofs.join(', ')}`);
  }
  console.log(JSON.stringify(counts));
  expect(found).toEqual([]);
  // Equalities that hold are what the attempts are about.
  expect(counts.accepted).toBeGreaterThan(count);
}

it('some hundreds prove nothing false', () => play(Number(process.env.STP_KERNEL_HOSTILE ?? 300)));

it('ten thousand prove nothing false', { tags: ['slow'], timeout: 1_800_000 }, () => play(10_000));
