/**
 * README and reference pages against the repository: links lead somewhere, every command, preset, variable and package has its
 * line, and the glossary explains each term once.
 */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { presetNames } from '@stp/config';
import { Command } from 'commander';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from './guides.ts';

const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8');
const PAGES = globSync(['*.md', 'docs/*.md', 'docs/decisions/*.md', 'packages/*/README.md', 'data/**/*.md'], {
  cwd: REPOSITORY,
});

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = [...page.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
  return new Set(headings);
}

/** Cells of the rows of all tables, without heads and rules. */
const rowsOf = (page: string): string[][] =>
  [...page.matchAll(/^\| .*\|$\n(?:\|---.*\n)?/gm)]
    .filter(([row]) => !row.includes('\n|---'))
    .map(([row]) => row.trim().slice(1, -1).split(' | '))
    .map((cells) => cells.map((cell) => cell.trim()));

describe('links', () => {
  it.each(PAGES)('of %s lead to files and headings', (path) => {
    const text = read(path).replaceAll(/^(?:```|~~~)[\s\S]*?^(?:```|~~~)$/gm, '');
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target]) => target!)
      .filter((target) => !/^[a-z]+:/.test(target));
    const broken = targets.filter((target) => {
      const [file = '', anchor] = target.split('#');
      const full = file === '' ? join(REPOSITORY, path) : join(REPOSITORY, dirname(path), file);
      if (!existsSync(full)) return true;
      return anchor !== undefined && full.endsWith('.md') && !anchorsOf(readFileSync(full, 'utf8')).has(anchor);
    });
    expect(broken).toEqual([]);
  });
});

describe('README.md', () => {
  const page = read('README.md');

  it('has at most 170 lines', () => {
    expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(170);
  });

  it('leads to every page of docs/', () => {
    const names = readdirSync(join(REPOSITORY, 'docs')).filter((name) => name.endsWith('.md'));
    expect(names.filter((name) => !page.includes(`](docs/${name})`))).toEqual([]);
  });

  it('names every package once', () => {
    const named = [...page.matchAll(/^\| `packages\/([\w-]+)` \|/gm)].map(([, name]) => name!);
    expect(named.toSorted()).toEqual(readdirSync(join(REPOSITORY, 'packages')).toSorted());
  });
});

describe('docs/commands.md', () => {
  const page = read('docs/commands.md');
  const help = async (words: readonly string[]): Promise<string> => {
    const { stdout } = await execa(process.execPath, [join(REPOSITORY, 'cli', 'main.ts'), ...words, '--help']);
    return stdout;
  };
  /** The commands that a help text lists. */
  const listed = (text: string): string[] =>
    [...text.slice(text.indexOf('\nCommands:')).matchAll(/^ {2}([a-z]+)(?= |$)/gm)]
      .map(([, name]) => name!)
      .filter((name) => text.includes('\nCommands:') && name !== 'help');
  const shown = rowsOf(page)
    .map(([command]) => command!)
    .filter((command) => command.startsWith('`bin/stp '))
    .map((command) => command.slice('`bin/stp '.length, -1).split(' '));

  it('has every command and no other, with options that there are', async () => {
    // Groups do nothing themselves; `judge` is a command and has others inside.
    const groups = ['data', 'lean', 'nodes', 'retrieve', 'suggest', 'verifier', 'weights'];
    const top = listed(await help([]));
    const inner = await Promise.all(
      [...groups, 'judge'].map(async (name) => listed(await help([name])).map((one) => `${name} ${one}`)),
    );
    const known = [...top.filter((name) => !groups.includes(name)), ...inner.flat()];
    const nameOf = (words: readonly string[]): string =>
      known.includes(words.slice(0, 2).join(' ')) ? words.slice(0, 2).join(' ') : words[0]!;
    expect([...new Set(shown.map(nameOf))].toSorted()).toEqual(known.toSorted());
    const texts = new Map<string, string>();
    for (const words of shown)
      for (const option of words.filter((word) => word.startsWith('--') && word !== '--')) {
        const name = nameOf(words);
        if (!texts.has(name)) texts.set(name, await help(name.split(' ')));
        expect([words.join(' '), new RegExp(`${option}[ ,]`).test(texts.get(name)!) && option]).toEqual([
          words.join(' '),
          option,
        ]);
      }
  }, 120_000);

  it('shows with options of a command also those that it requires', async () => {
    const program = new Command();
    for (const path of globSync('cli/commands/*.ts', { cwd: REPOSITORY }))
      for (const [name, add] of Object.entries((await import(join(REPOSITORY, path))) as Record<string, unknown>))
        if (name.startsWith('add')) (add as (program: Command) => void)(program);
    expect(program.commands.length).toBeGreaterThan(10);
    const lacking = shown.map((words) => {
      let command = program;
      for (const word of words) command = command.commands.find((one) => one.name() === word) ?? command;
      const required = command.options.filter((option) => option.mandatory && option.defaultValue === undefined);
      const missing = required.map(({ long }) => long!).filter((option) => !words.includes(option));
      return words.some((word) => word.startsWith('--')) && missing.length > 0 ? [words.join(' '), ...missing] : [];
    });
    expect(lacking.flat()).toEqual([]);
  });

  it('names npm scripts and experiments that there are', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...page.matchAll(/`npm (?:run )?([\w:-]+)/g)].map(([, name]) => name!);
    expect(named.filter((name) => !(name in scripts) && name !== 'ci')).toEqual([]);
    const experiments = read('tools/experiments/main.ts');
    const asked = [...page.matchAll(/npm run experiment -- ([\w-]+)/g)].map(([, name]) => name!);
    expect(asked.length).toBeGreaterThanOrEqual(2);
    expect(asked.filter((name) => !experiments.includes(name))).toEqual([]);
  });
});

describe('docs/settings.md', () => {
  const page = read('docs/settings.md');
  const section = (heading: string): string[] =>
    rowsOf(page.split(/^## /m).find((part) => part.startsWith(heading))!).flatMap(([cell]) =>
      [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
    );

  it('has every preset once', () => {
    expect(section('Presets').toSorted()).toEqual([...presetNames()].toSorted());
  });

  it('has variables that somebody reads, and all that workers read', () => {
    const named = section('Variables');
    const sources = globSync('{packages,cli,workers,infra,activities}/**/*.{ts,py}', { cwd: REPOSITORY })
      .filter((path) => !/node_modules|\.test\.ts$/.test(path))
      .map(read)
      .join('\n');
    // Read by Temporal's own client.
    const theirs = ['TEMPORAL_CONFIG_FILE'];
    expect(named.filter((name) => !sources.includes(name) && !theirs.includes(name))).toEqual([]);
    const settings = [...read('workers/settings.ts').matchAll(/environment\.(STP_[A-Z_]+)/g)].map(([, name]) => name!);
    expect(settings.length).toBeGreaterThan(10);
    expect(settings.filter((name) => !named.includes(name))).toEqual([]);
  });
});

describe('docs/glossary.md', () => {
  const rows = rowsOf(read('docs/glossary.md'));
  const terms = rows.map(([term]) => term!);

  it('has each term once, in alphabetical order, with a sentence or two', () => {
    expect(terms.length).toBeGreaterThan(30);
    expect(terms).toEqual([...new Set(terms)].toSorted((one, other) => one.localeCompare(other, 'en')));
    for (const [term, meaning] of rows) expect([term, meaning]).toEqual([term, expect.stringMatching(/^[A-Z].*\.$/)]);
  });

  it('explains every term that its texts mark', () => {
    const marked = rows.flatMap(([, meaning]) => [...meaning!.matchAll(/\*([^*`]+)\*/g)].map(([, word]) => word!));
    expect(marked.length).toBeGreaterThan(20);
    expect(marked.filter((word) => !terms.includes(word) && !terms.includes(word.replace(/s$/, '')))).toEqual([]);
  });
});
