/** Files outside the project folder are refused, by whatever way they are named. */
import { link, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FILE_BYTES_MAX } from '@stp/lean-verifier';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProjectFolder } from './project-folder.ts';

let above: string;
let folder: ProjectFolder;
beforeAll(async () => {
  above = await mkdtemp(join(tmpdir(), 'stp-folder-'));
  const root = join(above, 'project');
  await mkdir(join(root, 'A', '.lake'), { recursive: true });
  await mkdir(join(above, 'project-other'));
  await mkdir(join(root, 'Folder.lean'));
  for (const [path, text] of [
    ['secret.lean', 'secret'],
    ['project-other/Near.lean', 'secret'],
    ['project/Own.lean', 'import A.B\r\n'],
    ['project/A/B.lean', 'import A.C\nimport Own'],
    ['project/A/C.lean', ''],
    ['project/A/.lake/Made.lean', 'made'],
    ['project/note.txt', 'a note'],
    ['project/Bytes.lean', Buffer.from([0xff, 0xfe])],
    ['project/Marked.lean', '\uFEFFimport A.B\n'],
    ['project/Large.lean', 'x'.repeat(FILE_BYTES_MAX + 1)],
  ] as const)
    await writeFile(join(above, path), text);
  await symlink(join(above, 'secret.lean'), join(root, 'Link.lean'));
  await symlink(above, join(root, 'Out'));
  await symlink(join(root, 'A'), join(root, 'In'));
  folder = await ProjectFolder.open(root);
});
afterAll(() => rm(above, { recursive: true, force: true }));

describe('refused', () => {
  it.each([
    ['../secret.lean', 'outside'],
    ['A/../../secret.lean', 'outside'],
    ['../project-other/Near.lean', 'outside'],
    ['/etc/passwd', 'outside'],
    ['', 'outside'],
    ['.', 'outside'],
    ['Link.lean', 'leads outside'],
    ['Out/secret.lean', 'leads outside'],
    ['note.txt', 'no .lean file'],
    ['Nowhere.lean', 'no such file'],
    ['Own.lean\0', 'no .lean file'],
    ['Own\0.lean', 'no such file'],
    ['Folder.lean', 'no file'],
    ['Bytes.lean', 'not UTF-8'],
    ['Marked.lean', 'byte order mark'],
    ['Large.lean', 'larger than'],
  ])('%j', async (path, problem) => {
    await expect(folder.read(path)).rejects.toThrow(problem);
    await expect(folder.read(path)).rejects.not.toThrow('secret:');
  });

  it('the absolute path of a neighbour', async () => {
    await expect(folder.read(join(above, 'secret.lean'))).rejects.toThrow('outside');
  });
});

it('reads files of the folder, with line feeds, by any path that stays in it', async () => {
  const own = { path: 'Own.lean', text: 'import A.B\n' };
  expect(await folder.read('Own.lean')).toMatchObject(own);
  expect(await folder.read(join(above, 'project', 'A', '..', 'Own.lean'))).toMatchObject(own);
  expect(await folder.read('In/C.lean')).toMatchObject({ text: '' });
  const paths = (await folder.files(new AbortController().signal)).map(({ path }) => path);
  expect(paths).toEqual(['A/B.lean', 'A/C.lean', 'Own.lean']);
  expect((await folder.imported('import Own')).map(({ path }) => path)).toEqual(['Own.lean', 'A/B.lean', 'A/C.lean']);
});

it('knows whether a file is what it was', async () => {
  const path = join(above, 'project', 'Changed.lean');
  await writeFile(path, 'one');
  const before = await folder.read('Changed.lean');
  expect(await folder.isUnchanged(before)).toBe(true);
  await writeFile(`${path}.new`, 'two');
  await rename(`${path}.new`, path);
  expect(await folder.isUnchanged(before)).toBe(false);
  await rm(path);
  expect(await folder.isUnchanged(before)).toBe(false);
});

it('is no file, and no folder that is not there', async () => {
  await expect(ProjectFolder.open(join(above, 'secret.lean'))).rejects.toThrow('there is no folder');
  await expect(ProjectFolder.open(join(above, 'nowhere'))).rejects.toThrow('there is no folder');
});

// A second name of a file is that file: whoever can write into the folder can put it there, and can read it.
it('takes a hard link for a file of its own', async () => {
  await link(join(above, 'secret.lean'), join(above, 'project', 'Hard.lean'));
  expect(await folder.read('Hard.lean')).toMatchObject({ text: 'secret' });
  await rm(join(above, 'project', 'Hard.lean'));
});
