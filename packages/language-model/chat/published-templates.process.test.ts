/**
 * Templates in the style of published models give the text of `apply_chat_template`, which `test/python/make_chat_fixtures.py` wrote
 * down. Costs about three seconds.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CHATS, TEMPLATES } from '../testing/chat-templates.ts';
import { ChatTemplate } from './chat-template.ts';

const path = join(import.meta.dirname, '../../../test/fixtures/model/chats.json');
const fixture = JSON.parse(readFileSync(path, 'utf8')) as { name: string; rendered: (string | null)[] }[];

it('covers each template and chat', () => {
  expect(fixture.map(({ name }) => name)).toEqual(TEMPLATES.map(({ name }) => name));
  for (const { rendered } of fixture) {
    expect(rendered).toHaveLength(CHATS.length);
    expect(rendered).not.toContain(null);
  }
});

it.each(TEMPLATES)('the template of $name gives the text of transformers', async ({ name, source, names }) => {
  const template = new ChatTemplate({ source, names });
  onTestFinished(() => template.close());
  const { rendered } = fixture.find((one) => one.name === name)!;
  for (const [index, chat] of CHATS.entries()) expect(await template.render(chat)).toBe(rendered[index]);
});
