/**
 * Converts the repository's library to LeanDojo rows: its files with their premises, and its theorems with traced
 * tactics in which premise names are annotated. Reads text only.
 */
import path from 'node:path';
import { contentId } from '@stp/config/ids';
import type { LibraryTheorem } from '@stp/config/records';
import { maskSource, readCommands } from '@stp/lean-text';
import { discoverModules, type LeanModule } from '@stp/lean-verifier';
import { type TracedProof, tracedProofId } from '../../step/traced-file.ts';
import { opensOf } from '../definitions.ts';
import { mentionsIn } from '../mentions.ts';
import { splitSignature } from '../theorem-text.ts';
import { type CorpusFile, NO_GOALS, type Position, type TacticRow, type TheoremRow } from './rows.ts';

/** Commands that declare names for tactics to mention. */
const PREMISE_COMMANDS: ReadonlySet<string> = new Set([
  'theorem',
  'lemma',
  'def',
  'abbrev',
  'inductive',
  'structure',
  'class',
]);
const THEOREMS: ReadonlySet<string> = new Set(['theorem', 'lemma']);
const NAME = /^\s+((?:«[^»]*»|[\p{L}_][\p{L}\p{N}_'!?₀-₉]*)(?:\.(?:«[^»]*»|[\p{L}_][\p{L}\p{N}_'!?₀-₉]*))*)/u;
const REPOSITORY_NAME = 'data/library';

type Annotation = TacticRow['annotated_tactic'][1][number];

export interface OwnLibrary {
  /** In import order. */
  readonly files: readonly CorpusFile[];
  /** In the order of the files. A theorem whose own proof was not traced has no tactics. */
  readonly theorems: readonly TheoremRow[];
  /** Hash of the sources, instead of a commit. */
  readonly version: string;
}

/**
 * Converts a library.
 * @param directory folder of the library's files, modules `Stp.*`
 * @param theorems theorems of that library, in order
 * @param traced traced proofs; only theorems' own proofs are used
 */
export async function ownLibrary(
  directory: string,
  theorems: readonly LibraryTheorem[],
  traced: readonly TracedProof[],
): Promise<OwnLibrary> {
  const modules = await discoverModules([{ directory, modulePrefix: 'Stp' }]);
  const byName = new Map(modules.map((module) => [module.name, module]));
  const fileOf = (module: LeanModule): string => path.relative(directory, module.path!).split(path.sep).join('/');
  /** A generated module that only imports others has no file, so its imports are used instead. */
  const filesOf = (name: string): string[] => {
    const module = byName.get(name)!;
    return module.path === null ? module.imports.flatMap(filesOf) : [fileOf(module)];
  };
  const annotations = new Map<string, Annotation>();
  const files: CorpusFile[] = [];
  for (const module of modules) {
    if (module.path === null) continue;
    const file = fileOf(module);
    const found = premisesOf(module.source);
    for (const { premise, name, from, to } of found)
      annotations.set(premise.full_name!, { full_name: name, def_path: file, def_pos: from, def_end_pos: to });
    files.push({
      path: file,
      imports: [...new Set(module.imports.flatMap(filesOf))],
      premises: found.map(({ premise }) => premise),
    });
  }
  const version = contentId('library', ...modules.map(({ source }) => source));
  const names = new Set(annotations.keys());
  const proofs = new Map(traced.map((row) => [row.proof, row]));
  const spans = new Map(files.flatMap((file) => file.premises.map((premise) => [premise.full_name!, premise])));
  return {
    files,
    version,
    theorems: theorems.map((theorem) => {
      const { start, end } = spans.get(theorem.name)!;
      const steps = proofs.get(tracedProofId(theorem, theorem.proof))?.steps ?? [];
      return {
        url: REPOSITORY_NAME,
        commit: version,
        file_path: theorem.file,
        full_name: theorem.name,
        start,
        end,
        traced_tactics: steps.flatMap(({ tactic, before, after }) =>
          before === undefined || after === undefined
            ? []
            : [
                {
                  tactic,
                  annotated_tactic: annotated(tactic, opensOf(theorem.header), names, annotations),
                  state_before: before,
                  state_after: after === '' ? NO_GOALS : after,
                },
              ],
        ),
      };
    }),
  };
}

/** Returns theorems of a text with their statements, by full name. Omits theorems whose statement is incomplete. */
export function statedTheorems(source: string): { readonly name: string; readonly code: string }[] {
  return premisesOf(source).flatMap(({ premise: { kind, full_name: name, code } }) =>
    THEOREMS.has(kind) && name !== null ? [{ name, code }] : [],
  );
}

interface FoundPremise {
  readonly premise: CorpusFile['premises'][number];
  readonly name: string;
  readonly from: Position;
  readonly to: Position;
}

function premisesOf(source: string): FoundPremise[] {
  const masked = maskSource(source);
  const at = positions(source);
  return readCommands(masked).flatMap((command) => {
    if (!PREMISE_COMMANDS.has(command.keyword)) return [];
    const text = masked.withoutComments.slice(command.start, command.end);
    const code = masked.code.slice(command.start, command.end);
    const short = NAME.exec(text.slice(command.keyword.length))?.[1];
    if (short === undefined) return [];
    const nameStart = command.start + text.indexOf(short, command.keyword.length);
    const name = [...command.namespace, short].join('.');
    const signature = THEOREMS.has(command.keyword) ? splitSignature(text, code) : null;
    const shown = signature === null || typeof signature === 'string' ? text : text.slice(0, signature.assignment);
    const premise = {
      full_name: name,
      code: shown.trim(),
      start: at(command.start),
      end: at(command.end),
      kind: command.keyword,
    };
    return [{ premise, name, from: at(nameStart), to: at(nameStart + short.length) }];
  });
}

/** Returns a function from offsets in a text to line and column, both 1-based; columns count code points. */
function positions(source: string): (offset: number) => Position {
  const starts = [0];
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    const line = starts.findLastIndex((start) => start <= offset);
    return [line + 1, [...source.slice(starts[line]!, offset)].length + 1];
  };
}

/** Returns the tactic with tags around premise names, and the premises in order. */
function annotated(
  tactic: string,
  scopes: readonly string[],
  names: ReadonlySet<string>,
  annotations: ReadonlyMap<string, Annotation>,
): TacticRow['annotated_tactic'] {
  const found: Annotation[] = [];
  let text = '';
  let from = 0;
  for (const { name, start, end } of mentionsIn(tactic, scopes, names)) {
    text += `${tactic.slice(from, start)}<a>${tactic.slice(start, end)}</a>`;
    from = end;
    found.push(annotations.get(name)!);
  }
  return [text + tactic.slice(from), found];
}
