/**
 * Adds a run's certified proofs to a prepared SFT set. STP's first set gets its LeanWorkbook half in this way (STP
 * §1.3, step 8: the base model's proofs of the training statements). Both inputs may be long, so sorting happens
 * outside memory.
 */

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { readLines } from '@stp/base/files';
import { contentId } from '@stp/config/ids';
import { type Example, provedSchema } from '@stp/config/records';
import { openSftSet, writeSftSet } from '@stp/datasets';
import { orderKey, proverExample } from '@stp/selfplay';
import { externalSort, firstOfEach } from '../records/external-sort.ts';
import type { PreparedSft, SftTarget } from './prepare.ts';
import { statementKeysOf } from './statements-of.ts';

export interface AddProofsTarget extends SftTarget {
  /** Folder of the set that the proofs are added to. */
  readonly base: string;
  /** Path of a round's `proved.jsonl`. */
  readonly proofs: string;
}

/**
 * Writes the base's examples and the proofs, without repeats, in a seeded order. Statements that the base holds out
 * stay held out. Throws STP1501 for a line that is no proof.
 */
export async function addProofs({ name, folder, seed, replace, base, proofs }: AddProofsTarget): Promise<PreparedSft> {
  const set = await openSftSet(base);
  const heldOut = await Array.fromAsync(set.heldOut());
  const keys = new Set(heldOut.flatMap(statementKeysOf));
  const left = { 'proofs of what the set holds out': 0 };
  async function* all(): AsyncGenerator<Example> {
    yield* set.train();
    for await (const { line, text } of readLines(proofs)) {
      const proof = parsedProof(text, `${proofs}:${line}`);
      const example = proverExample(proof.statement, proof.proof, 1);
      if (statementKeysOf(example).some((key) => keys.has(key))) left['proofs of what the set holds out'] += 1;
      else yield example;
    }
  }
  const key = ({ prompt, target }: Example): string => orderKey(seed, 'sft', contentId(prompt, target));
  const sorted = externalSort(all(), { key, directory: join(tmpdir(), 'stp-sft') });
  const manifest = await writeSftSet(folder, replace, {
    name,
    train: firstOfEach(sorted, key),
    heldOut,
    theorems: set.theorems(),
    heldOutTheorems: set.manifest.counts.heldOutTheorems,
    card: (counts) =>
      [
        `# ${name}`,
        '',
        `The set ${set.manifest.name} with the certified proofs of a run.`,
        '',
        `- **Examples**: ${counts.proverExamples} proofs (${set.manifest.counts.proverExamples} before), ${counts.conjecturerExamples} conjecturer examples, in an order by seed ${seed}.`,
        `- **Held out**: what ${set.manifest.name} holds out.`,
        '- **Licence**: that of the set it was made of, and of the statements that were proved.',
        '',
      ].join('\n'),
  });
  return { manifest, left };
}

function parsedProof(text: string, where: string) {
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    // no object either way
  }
  const parsed = provedSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  throw new StpError(
    'STP1501',
    `${where}: ${issue.path.join('.') || 'row'}: ${issue.message}`,
    'Give proved.jsonl of a round.',
    {
      facts: { where },
    },
  );
}
