/**
 * `npm run test:python`: installs pinned PyTorch, transformers, peft and what goes with them into `.cache/python-venv`, and what
 * exports encoder-decoders into `.cache/optimum-venv` (each about two minutes and 6 GB, once), trackers into `.cache/tracking-venv` (1 GB), then runs the comparisons of this folder and the trainers' tests against them.
 */
import { join } from 'node:path';
import { execa } from 'execa';
import { ENVIRONMENTS } from './python.ts';

const repository = join(import.meta.dirname, '../..');
const inherit = { cwd: repository, stdio: 'inherit', preferLocal: true } as const;

try {
  for (const environment of ENVIRONMENTS) if (!environment.isInstalled) await environment.install();
  const tests = ['test/python', 'test/trainers', 'packages/language-model/trainers', 'test/infra/weights'];
  const { exitCode } = await execa('vitest', ['run', ...tests, ...process.argv.slice(2)], {
    ...inherit,
    reject: false,
  });
  process.exitCode = exitCode ?? 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
