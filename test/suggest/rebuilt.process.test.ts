/** Tests that the editor's suggester follows a project that is rebuilt. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SuggesterProcess } from '@stp/editor';
import { expect, it, onTestFinished } from 'vitest';
import { SUGGEST_KEYS_VARIABLE } from '../../cli/models/suggest-serve.ts';
import { builtProject } from '../mcp/opened.ts';
import { STP } from '../support/stp.ts';

it('answers over the modules that are there, not over those it began with', async () => {
  const project = await builtProject();
  onTestFinished(() => project.remove());
  const build = async (value: number): Promise<void> => {
    await writeFile(join(project.folder, 'Shelf', 'Basic.lean'), `def Shelf.answer := ${value}\n`);
    for (const name of ['Shelf/Lists.lean', 'Shelf/Trees.lean', 'Shelf.lean'])
      await writeFile(join(project.folder, name), '');
    await project.build();
  };
  await build(42);
  process.env.STP_LEAN_PROJECT = project.folder;
  const words = [STP, 'suggest', 'serve', '--port', '0', '--no-copilot', '--with-parent', '--processes', '1'];
  const suggester = new SuggesterProcess({ words, keysVariable: SUGGEST_KEYS_VARIABLE });
  onTestFinished(() => {
    suggester.close();
    delete process.env.STP_LEAN_PROJECT;
  });
  const context = 'import Shelf.Basic\n\ntheorem t : Shelf.answer = 42 := by\n  ';
  const classes = async (): Promise<Set<string>> => {
    const asked = { context, answer_seconds: 60 };
    const { suggestions, unchecked } = await suggester.ask(asked, new AbortController().signal, () => {});
    expect(unchecked).toBeNull();
    return new Set(suggestions.map((one) => one.class));
  };
  expect(await classes()).toContain('done');
  await build(41);
  expect(await classes()).not.toContain('done');
}, 240_000);
