/** `stp check FILE.lean`: a line a theorem, exit 0 all accepted, 1 some rejected, 2 could not be checked. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '../data/errors.ts';
import type { SandboxFacts } from '../data/schemas/records.ts';
import { checkFile } from '../lean/check-file.ts';
import { openSandbox, type SandboxPolicy } from '../lean/sandbox/open-sandbox.ts';
import { leanEnvironment } from '../workers/assemble.ts';
import { workerSettings } from '../workers/settings.ts';

const EXIT_CODES = { accepted: 0, rejected: 1, unchecked: 2 } as const;

export async function check(file: string, options: { json?: boolean; sandbox: SandboxPolicy }): Promise<number> {
  const settings = workerSettings();
  let directory: string | null = null;
  try {
    const environment = await leanEnvironment(settings, (line) => console.error(line));
    await mkdir(settings.scratchDirectory, { recursive: true });
    directory = await mkdtemp(join(settings.scratchDirectory, 'check-'));
    const sandbox = await openSandbox(options.sandbox, {
      cacheDirectory: settings.cacheDirectory,
      environment,
      install: 'auto',
      onProgress: (line) => console.error(line),
    });
    const result = await checkFile(file, environment, { scratchDirectory: directory, sandbox });
    for (const theorem of result.theorems)
      console.log(
        options.json
          ? JSON.stringify(theorem)
          : `${theorem.verdict.padEnd(9)} ${file}:${theorem.line}:${theorem.column} ${theorem.name}${theorem.message === '' ? '' : `\n          ${theorem.message.replaceAll('\n', '\n          ')}`}`,
      );
    if (result.reason !== '') console.error(result.reason);
    const accepted = result.theorems.filter((theorem) => theorem.verdict === 'accepted').length;
    console.error(
      `${accepted} of ${result.theorems.length} theorems accepted by ${environment.version}${walls(result.sandbox)}`,
    );
    return EXIT_CODES[result.outcome];
  } catch (error) {
    if (!(error instanceof StpError)) throw error;
    console.error(error.toText());
    return 2;
  } finally {
    if (directory) await rm(directory, { recursive: true, force: true });
  }
}

function walls({ kind, description }: SandboxFacts): string {
  return kind === 'none' ? ', without a sandbox' : ` in ${description}`;
}
