/** The READMEs of `examples/` as data: their fenced blocks, in order. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../support/stp.ts';

export function blocksOf(example: string, language: string): string[] {
  const page = readFileSync(join(REPOSITORY, 'examples', example, 'README.md'), 'utf8');
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)\n```$/gmu)].flatMap(([, found, text]) =>
    found === language ? [text!] : [],
  );
}
