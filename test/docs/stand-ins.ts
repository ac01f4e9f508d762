/** Small stand-ins for published files, with the shapes and names that the guides use. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeLeanDojo } from '../data/leandojo-folder.ts';
import { REPOSITORY } from './guides.ts';

const FIXTURES = join(REPOSITORY, 'test', 'fixtures', 'datasets');

export async function writeStandIns(folder: string): Promise<void> {
  await writeLeanDojo(folder);
  const workbook = ['a + 0 = a', '0 + a = a', 'a * 1 = a'].map((statement, index) => ({
    natural_language_statement: 'A sum.',
    formal_statement: `theorem lean_workbook_${index} (a : ℕ) : ${statement} := by sorry`,
    tags: ['algebra'],
    split: 'lean_workbook',
  }));
  await writeFile(join(folder, 'leanworkbook.json'), JSON.stringify(workbook));
  const valid = JSON.parse(await readFile(join(FIXTURES, 'minif2f.json'), 'utf8')) as unknown[];
  const test = { formal_statement: 'theorem mathd_test (n : ℕ) (h : n = 2) : n + n = 4 := by', split: 'miniF2F test' };
  const rows = [...valid, test].map((row) => `${JSON.stringify(row)}\n`);
  await writeFile(join(folder, 'minif2f.jsonl'), rows.join(''));
  await writeFile(join(folder, 'proofnet.jsonl'), await readFile(join(FIXTURES, 'proofnet.jsonl')));
}
