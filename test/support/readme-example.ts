/** Runs the example of a package's README: the first block of TypeScript, whose output the first block of text promises. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

const REPOSITORY = join(import.meta.dirname, '../..');

/** `folder`: of the package. Throws where the page lacks a block, or the example fails. */
export async function readmeExample(folder: string): Promise<{ readonly printed: string; readonly promised: string }> {
  const page = await readFile(join(folder, 'README.md'), 'utf8');
  const block = (language: string): string => {
    const found = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\``, 'u').exec(page)?.[1];
    if (found === undefined) throw new Error(`${folder}/README.md has no block of ${language}`);
    return found;
  };
  // As a text, so that packages are found from the repository as a reader's own file would find them.
  const { stdout } = await execa(process.execPath, ['--input-type=module-typescript', '--eval', block('ts')], {
    cwd: REPOSITORY,
    env: { NODE_NO_WARNINGS: '1', NO_COLOR: '1' },
  });
  return { printed: stdout, promised: block('text') };
}
