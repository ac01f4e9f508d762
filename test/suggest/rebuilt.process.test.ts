/** The suggester notices that the project below it was built anew. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { builtProject } from '../mcp/opened.ts';
import { STP } from '../support/stp.ts';

it('answers over the modules that are there, not over those it began with', async () => {
  const project = await builtProject();
  onTestFinished(() => project.remove());
  const build = async (value: number): Promise<void> => {
    await writeFile(join(project.folder, 'Shelf', 'Basic.lean'), `def Shelf.answer := ${value}\n`);
    await writeFile(join(project.folder, 'Shelf', 'Lists.lean'), '');
    await writeFile(join(project.folder, 'Shelf', 'Trees.lean'), '');
    await writeFile(join(project.folder, 'Shelf.lean'), '');
    await project.build();
  };
  await build(42);
  const server = execa(STP, ['suggest', 'serve', '--port', '0', '--no-copilot', '--processes', '1'], {
    env: { STP_LEAN_PROJECT: project.folder },
    reject: false,
  });
  onTestFinished(async () => {
    server.kill();
    await server;
  });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: server.stdout }).on('line', (line) => {
      const found = /^serving suggestions on (\S+)/u.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    server.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
  const classes = async (): Promise<Set<string>> => {
    const context = 'import Shelf.Basic\n\ntheorem t : Shelf.answer = 42 := by\n  ';
    const response = await fetch(`${url}/v2/suggest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ context, answer_seconds: 60 }),
    });
    const { suggestions, unchecked } = (await response.json()) as {
      suggestions: { class: string }[];
      unchecked: string | null;
    };
    expect(unchecked).toBeNull();
    return new Set(suggestions.map((one) => one.class));
  };
  expect(await classes()).toContain('done');
  await build(41);
  expect(await classes()).not.toContain('done');
});
