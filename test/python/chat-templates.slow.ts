/**
 * The texts of chat templates in the fixture of the fast test are those that transformers renders now. Installs transformers without
 * PyTorch into `.cache` (some 100 MB) where it is not there. `STP_WRITE_FIXTURES=1` writes the fixture. Costs some ten seconds.
 *
 * @module-tag slow
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CHATS, TEMPLATES } from '@stp/language-model/testing';
import { expect, it } from 'vitest';
import { smallPython } from './small-environment.ts';

const runPython = await smallPython('chat', 'texts of chat templates by transformers');
const fixture = join(import.meta.dirname, '../fixtures/model/chats.json');

it.skipIf(runPython === null)('transformers renders the texts of the fixture', async () => {
  const made = await runPython!('make_chat_fixtures.py', { templates: TEMPLATES, chats: CHATS });
  if (process.env.STP_WRITE_FIXTURES === '1') await writeFile(fixture, `${JSON.stringify(made, null, 1)}\n`);
  expect(JSON.parse(await readFile(fixture, 'utf8'))).toEqual(made);
});
