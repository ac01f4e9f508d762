/** Guides as data: their fenced blocks, and the commands of those in the shell's language. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const REPOSITORY = join(import.meta.dirname, '../..');
export const GUIDES = ['run-on-tpu', 'run-on-gpu', 'operate'] as const;

export interface Block {
  readonly guide: string;
  readonly language: string;
  readonly text: string;
}

export const blocks: readonly Block[] = GUIDES.flatMap((guide) => {
  const page = readFileSync(join(REPOSITORY, 'docs', `${guide}.md`), 'utf8');
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    guide,
    language,
    text,
  }));
});

/** The files that the guides show, by the last name of one that stands before it: the first that has the name. */
export const files: readonly { readonly name: string; readonly text: string }[] = GUIDES.flatMap((guide) => {
  const page = readFileSync(join(REPOSITORY, 'docs', `${guide}.md`), 'utf8');
  const found = new Map<string, string>();
  for (const block of page.matchAll(/^```(?:json|yaml)\n([\s\S]*?)^```$/gm)) {
    const name = [...page.slice(0, block.index).matchAll(/`([\w-]+\.(?:json|yaml))`/g)].at(-1)?.[1];
    if (name !== undefined && !found.has(name)) found.set(name, block[1]!);
  }
  return [...found].map(([name, text]) => ({ name, text }));
});

export interface Command {
  readonly guide: string;
  readonly line: string;
  /** Words as a shell has them, with the guide's placeholders filled. */
  readonly words: readonly string[];
}

/** Values that the guides leave to their readers. */
export const FILLED: Readonly<Record<string, string>> = {
  PROJECT: 'test-project',
  ZONE: 'us-central2-b',
  REGION: 'us-central2',
  BUCKET: 'test-bucket',
  ACCOUNT: 'stp-nodes@test-project.iam.gserviceaccount.com',
};

export const commands: readonly Command[] = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ guide, text }) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => ({ guide, line, words: wordsOf(line) })),
  );

/** The guides use words, double quotes and `$NAME` only. */
function wordsOf(line: string): string[] {
  const words = line.match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
  return words.map((word) =>
    word
      .replaceAll('"', '')
      .replaceAll(/\$([A-Z]+)/g, (_, name: string) => FILLED[name] ?? `$${name}`)
      .replaceAll('$PWD', REPOSITORY),
  );
}

export const commandsOf = (...start: readonly string[]): readonly Command[] =>
  commands.filter(({ words }) => start.every((word, index) => words[index] === word));
