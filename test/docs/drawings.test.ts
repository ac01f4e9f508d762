/**
 * Compares pages with the code that they draw and name: the boxes of a round are in the workflow's order, files and
 * folders exist, every page can be reached, and a page with this project's terms links to the glossary.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from './guides.ts';

const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8');
/** Pages of the present; the log, the changelog and decisions tell what was. */
const PAGES = globSync(['*.md', 'docs/*.md', 'packages/*/README.md', 'examples/*/README.md'], {
  cwd: REPOSITORY,
}).filter((path) => !['CHANGELOG.md', 'docs/log.md'].includes(path));
const SOURCES = '{packages,workflows,activities,workers,infra,cli,tools,test}/**/*.{ts,py,json,yaml,yml,tf,sh}';

/** Returns the offsets of the names in a text, each after the previous one; -1 for a name that does not follow. */
function offsetsInOrder(text: string, names: readonly string[]): number[] {
  let from = 0;
  return names.map((name) => {
    const at = text.indexOf(name, from);
    from = at + 1;
    return at;
  });
}

describe('the drawing of a round in README.md', () => {
  const drawing = /^## How a round works$([\s\S]*?)^Round 0/m.exec(read('README.md'))![1]!;
  const boxesOf = (line: string): string[] => line.split(/[─▶]+/).map((box) => box.trim());

  it('has the steps of a round in the order of the workflow', () => {
    /** A box, and the call that the workflow makes for it. */
    const steps = [
      ['explore', 'conjectureRound('],
      ['gate', 'conjectureRound('],
      ['prove conjectures', 'proveRound('],
      ['grow the library', 'proveRound('],
      ['prove statements', 'proveRound('],
      ['train the model', 'trainRound('],
    ] as const;
    const line = drawing.split('\n').find((one) => one.includes('explore ─'))!;
    expect(boxesOf(line)).toEqual(steps.map(([box]) => box));
    const round = read('workflows/round.ts');
    const body = round.slice(round.indexOf('export async function stpRound'));
    expect(offsetsInOrder(body, [...new Set(steps.map(([, call]) => call))])).not.toContain(-1);
    const conjecturing = read('workflows/stages/conjecture-round.ts');
    expect(offsetsInOrder(conjecturing, ['await conjectureTexts(', 'return gateConjectures('])).not.toContain(-1);
    // Inside of `proveRound`: conjectures first, then the library, then statements.
    const passes = read('workflows/stages/prove-round.ts');
    expect(offsetsInOrder(passes, ['growLibrary(', '/conjectures`', '/statements`'])).not.toContain(-1);
  });

  it('has the checks of a proof, each with its folder', () => {
    const folders = {
      screen: 'packages/lean-verifier/trust/screen',
      compile: 'packages/lean-verifier/trust/verdict',
      'judge the compiled module': 'packages/lean-verifier/trust/object',
      certificate: 'packages/lean-verifier/trust/certificate',
    };
    const line = drawing.split('\n').find((one) => one.includes('every proof:'))!;
    expect(boxesOf(line.replace('every proof:', ''))).toEqual(Object.keys(folders));
    expect(Object.values(folders).filter((folder) => !existsSync(join(REPOSITORY, folder)))).toEqual([]);
  });
});

describe('names of files and folders', () => {
  const files = globSync('**/*.{ts,py,json,jsonl,lean,yml,yaml,lua,txt}', {
    cwd: REPOSITORY,
    exclude: (name) => ['node_modules', '.git', '.cache', 'runs'].includes(name),
  });
  const bare = new Set(files.map((path) => path.split('/').at(-1)!));

  it.each(PAGES)('in %s are those that there are', (path) => {
    const page = read(path).replaceAll(/^```[\s\S]*?^```$/gm, '');
    const named = [...page.matchAll(/`([^`\s]+)`/g)].map(([, name]) => name!);
    const paths = named.filter(
      (name) =>
        /^(?:packages|workflows|activities|workers|infra|cli|tools|data|test|docs)\/[\w./-]*$/.test(name) &&
        // A guide's own placeholder.
        !/\bNAME\b/.test(name),
    );
    const missing = paths.filter((name) => {
      const paths = [name, join(dirname(path), name)];
      return !paths.some((at) => existsSync(join(REPOSITORY, at))) && !name.startsWith('data/SFT');
    });
    const sources = named.filter((name) => /^[\w-]+(?:\.process)?(?:\.test|\.slow)?\.ts$/.test(name));
    expect([...missing, ...sources.filter((name) => !bare.has(name))]).toEqual([]);
  });

  it('of pages in code and configuration are those that there are', () => {
    const named = globSync(SOURCES, { cwd: REPOSITORY })
      .filter((path) => !path.includes('node_modules'))
      .flatMap((path) => [...read(path).matchAll(/\bdocs\/[\w-]+\.md\b/g)].map(([name]) => `${path}: ${name}`));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((one) => !existsSync(join(REPOSITORY, one.split(': ')[1]!)))).toEqual([]);
  });
});

describe('pages', () => {
  const linked = new Set(
    PAGES.flatMap((path) =>
      [...read(path).matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, target]) => normalize(join(dirname(path), target!))),
    ),
  );

  it('are linked from another page, beside those that readers find by themselves', () => {
    // GitHub shows the README and the security policy itself; packages are read in their folders.
    const found = PAGES.filter((path) => path !== 'README.md' && !path.endsWith('/README.md'));
    expect(found.filter((path) => !linked.has(path))).toEqual([]);
  });

  /** Terms of the glossary that a reader who knows the field does not know from there. */
  const TERMS = ['band', 'canary', 'gate', 'grown library', 'portfolio', 'screen', 'shard', 'slot', 'walk'];

  it('that use this project’s words lead to the glossary', () => {
    const glossary = read('docs/glossary.md');
    expect(TERMS.filter((term) => !glossary.includes(`\n| ${term} |`))).toEqual([]);
    const using = PAGES.filter((path) => /^(?:README|ARCHITECTURE|CONTRIBUTING|docs\/.*)\.md$/.test(path)).filter(
      (path) => {
        const prose = read(path).replaceAll(/```[\s\S]*?```|`[^`]*`|^ {4}.*$/gm, '');
        return path !== 'docs/glossary.md' && TERMS.some((term) => new RegExp(`\\b${term}s?\\b`).test(prose));
      },
    );
    expect(using.length).toBeGreaterThan(8);
    expect(using.filter((path) => !/\]\([\w./]*glossary\.md/.test(read(path)))).toEqual([]);
  });
});
