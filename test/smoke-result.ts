/**
 * Judges a finished smoke run from its written files: new proofs were found that the first model did not find, the
 * numbers agree with each other, and `bin/stp check` accepts every theorem of proofs.lean. Exit 1 with a reason if not.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { summarySchema } from '@stp/config/records';
import { execa } from 'execa';

const runDirectory = resolve(process.argv[2] ?? '');
const summary = summarySchema.parse(JSON.parse(readFileSync(join(runDirectory, 'summary.json'), 'utf8')));
const verdicts = Object.values(summary.verdicts).reduce((sum, count) => sum + count, 0);
assert.equal(verdicts, summary.samples, 'every sample has a verdict');
assert.equal(summary.provedPerRound.length, 2, 'two rounds were played');
assert.ok(summary.provedBaseline > 0, 'the SFT model proves something');
const last = summary.provedPerRound.at(-1)!;
assert.ok(
  last > summary.provedBaseline,
  `self-play proved more than the SFT model (${summary.provedBaseline} → ${last})`,
);
assert.ok(last <= summary.statements, 'no more is proved than there is');
for (const file of ['report.html', 'config.json', 'proofs.lean', 'checkpoints'])
  assert.ok(existsSync(join(runDirectory, file)), file);

const check = await execa(
  join(import.meta.dirname, '..', 'bin', 'stp'),
  ['check', '--json', join(runDirectory, 'proofs.lean')],
  { reject: false },
);
assert.equal(check.exitCode, 0, `stp check accepts proofs.lean:\n${check.stderr}`);
const kept = check.stdout
  .split('\n')
  .map((line) => JSON.parse(line) as { name?: string })
  .filter(({ name }) => name?.startsWith('Kept.'));
assert.equal(kept.length, summary.proofsInFile, 'proofs.lean holds every kept proof');
console.log(
  `smoke run: ${summary.provedBaseline} → ${last} of ${summary.statements} statements proved; stp check accepts all ${kept.length} kept proofs`,
);
