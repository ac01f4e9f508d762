/** `bin/stp judge convert`: converts proofs and problems in words between the forms of several systems. */
import { writeFile } from 'node:fs/promises';
import { StpError } from '@stp/base';
import { type Item, llmproofsFile, ownRow, readItems, verlFile } from '@stp/judge/formats';

const FORMS: Readonly<Record<string, (items: readonly Item[]) => string | Buffer>> = {
  rows: (items) => items.map((item) => `${JSON.stringify(ownRow(item))}\n`).join(''),
  verl: verlFile,
  llmproofs: (items) => `${JSON.stringify(llmproofsFile(items), null, 2)}\n`,
};

export async function judgeConvert(
  file: string,
  { to, out }: { readonly to: string; readonly out: string },
): Promise<void> {
  const items = await readItems(file);
  try {
    await writeFile(out, FORMS[to]!(items), { flag: 'wx' });
  } catch (error) {
    throw new StpError(
      'STP1002',
      `cannot write ${out}: ${(error as Error).message}`,
      'Name a file that does not exist.',
    );
  }
  const proofs = items.filter(({ answer }) => answer !== null).length;
  console.log(`${new Set(items.map(({ problemId }) => problemId)).size} problems with ${proofs} proofs, in ${out}`);
}
