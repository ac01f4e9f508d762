/** `bin/stp lean serve` over a project that is built anew: no answer speaks of modules that are gone. Half a minute of a core. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { post } from '@stp/lean-verifier/testing-hooks';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { builtProject, type OpenedProject } from '../mcp/opened.ts';
import { type LeanService, startLeanService } from '../support/lean-service.ts';

vi.setConfig({ testTimeout: 240_000 });

let project: OpenedProject;
let service: LeanService;
/** Builds the project with an additional module that has this number. */
async function build(answer: number): Promise<void> {
  await writeFile(join(project.folder, 'Shelf', 'Answer.lean'), `def Shelf.answer := ${answer}\n`);
  await project.build();
}
beforeAll(async () => {
  project = await builtProject();
  const script = join(project.folder, 'build.sh');
  await writeFile(script, (await readFile(script, 'utf8')).replace('Shelf/Basic', 'Shelf/Answer Shelf/Basic'));
  await build(42);
  service = await startLeanService({ args: ['--processes', '1'], env: { STP_LEAN_PROJECT: project.folder } });
}, 240_000);
afterAll(async () => {
  await service?.close();
  await project?.remove();
});

const verdict = () => {
  const row = { id: 'a', header: 'import Shelf.Answer', statement: 'theorem t : Shelf.answer = 42', proof: '  rfl' };
  return post(`${service.url}/api/verify`, { rows: [row] });
};
const fingerprint = async (): Promise<string> =>
  ((await (await fetch(`${service.url}/api/environment`)).json()) as { fingerprint: string }).fingerprint;

it('opens it again, and answers by what was built', async () => {
  const before = await fingerprint();
  expect(await verdict()).toMatchObject({ status: 200, body: { results: [{ verdict: 'proved' }] } });
  await build(43);
  const statuses: number[] = [];
  let now = before;
  for (let tries = 0; tries < 400 && now === before; tries++) {
    const { status } = await verdict().catch(() => ({ status: 0 }));
    statuses.push(status);
    now = await fingerprint().catch(() => before);
    await pause(100);
  }
  expect(now).not.toBe(before);
  expect(statuses).toContain(503);
  expect(await verdict()).toMatchObject({ status: 200, body: { results: [{ verdict: 'rejected' }] } });
});
