/**
 * Records which conjectures about the library's functions helped (`data/sft/conjectures.jsonl`). They come from a run
 * over a problem set that copies the library's functions into a namespace of its own. The library's theorems are its
 * statements, so no proof can use them.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { statementId } from '@stp/config/ids';
import { type Statement, type TriedConjecture, triedConjectureSchema } from '@stp/config/records';
import { extractLibrary } from '@stp/lean-explore';
import { maskSource, readCommands } from '@stp/lean-text';
import { discoverModules } from '@stp/lean-verifier';
import { displayStatement } from '@stp/selfplay';
import { anchorOf, conjecturesOf } from '../../activities/round/conjecture-records.ts';
import { creditedStatements } from '../../activities/round/rank-conjectures.ts';
import { DATA } from '../../workers/settings.ts';
import { playedRounds } from './played-rounds.ts';

const SET = 'hindsight';
const NAMESPACE = 'Stp.Problems.Hindsight';
const HEADER = `import Stp\nimport ${NAMESPACE}\nopen ${NAMESPACE}`;
/** Files whose theorems are left out, so that a first model can train on them. */
const LEFT_OUT: ReadonlySet<string> = new Set(['Boolean.lean', 'Logic.lean', 'Core.lean']);
const NOT_DEFINITIONS: ReadonlySet<string> = new Set(['theorem', 'lemma', 'example', 'namespace', 'end', 'import']);

/** Writes the problem set `hindsight` into the data folder, where its definitions are compiled. Returns its size. */
export async function writeLibrarySet(): Promise<number> {
  const library = join(DATA, 'library');
  const folder = join(DATA, 'problems', SET);
  const modules = await discoverModules([{ directory: library, modulePrefix: 'Stp' }]);
  const definitions = modules.flatMap(({ source }) =>
    readCommands(maskSource(source))
      .filter(({ keyword }) => !NOT_DEFINITIONS.has(keyword))
      .map(({ begin, end }) => source.slice(begin, end)),
  );
  const statements = (await extractLibrary(library)).theorems
    .filter(({ file }) => !LEFT_OUT.has(file))
    .map((theorem): Statement => {
      const name = theorem.name.replace(/^Stp\./u, '');
      const statement = `theorem ${name} ${displayStatement(theorem.statement)}`;
      const labels = [`${SET}/${name}`];
      return { id: statementId(HEADER, statement), name, header: HEADER, statement, split: 'train', labels, weight: 1 };
    });
  await mkdir(folder, { recursive: true });
  const text = [`namespace ${NAMESPACE}`, ...definitions, `end ${NAMESPACE}`].join('\n\n');
  await writeFile(join(folder, 'Definitions.lean'), `${text}\n`);
  await writeFile(join(folder, 'statements.jsonl'), statements.map((one) => `${JSON.stringify(one)}\n`).join(''));
  await writeFile(join(folder, 'card.md'), `# ${SET}\n\nThe library's theorems over copies of its functions.\n`);
  return statements.length;
}

/**
 * Rewrites `data/sft/conjectures.jsonl` from a run's explored conjectures. Returns their number, and that of credited
 * ones.
 */
export async function keepTriedConjectures(run: string): Promise<{ tried: number; paying: number }> {
  const { store, manifests } = await playedRounds(run);
  const credited = await creditedStatements(store, manifests);
  const rows = new Map<string, TriedConjecture>();
  for await (const conjecture of conjecturesOf(store, manifests)) {
    const { id, statement, found } = conjecture;
    if (found === undefined) continue;
    const [target, text] = [anchorOf(conjecture), statement].map(displayStatement);
    rows.set(id, triedConjectureSchema.parse({ target, statement: text, found, pays: credited.has(id) }));
  }
  const kept = [...rows.values()];
  await writeFile(join(DATA, 'sft', 'conjectures.jsonl'), kept.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return { tried: kept.length, paying: kept.filter(({ pays }) => pays).length };
}
