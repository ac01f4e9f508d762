/**
 * Commands on this machine around a lease of a GPU. `prepare FOLDER` writes the files for the leased machine, `control
 * FOLDER RESULTS FORM …` samples the small model for comparison, and `judge FOLDER RESULTS NAME …` judges
 * `RESULTS/samples-NAME.jsonl`. README.md in this folder has the steps.
 */
import { join } from 'node:path';
import { judgeSamples, sampleControl } from './judge.ts';
import { prepareLease } from './prepare.ts';

const [command, folder, results, ...names] = process.argv.slice(2);
const lease = folder === undefined ? null : join(folder, 'lease');
if (command === 'prepare' && folder !== undefined) await prepareLease(folder, process.env.STP_PYTHON ?? 'python3');
else if ((command === 'control' || command === 'judge') && lease !== null && results !== undefined && names.length > 0)
  for (const name of names) await (command === 'control' ? sampleControl : judgeSamples)(lease, results, name);
else {
  console.error('Write: prepare FOLDER, control FOLDER RESULTS FORM …, or judge FOLDER RESULTS NAME …');
  process.exitCode = 2;
}
