/**
 * The allowed contents of a module of proofs: the requested theorems, each with the type of our own statement;
 * constants that Lean generated for them; definitions of their header that equal those of our own statements; and
 * nothing else. Everything is read from the compiled module (`packages/lean-kernel/olean`), nothing from text.
 */
import type { CheckedConstant, Hiding, ModuleReport } from '@stp/lean-kernel';
import { nameParts, readHeader } from '@stp/lean-text';
import { importedNames } from '../header.ts';
import { axiomNames, axiomObjection, type Objection } from './axiom-policy.ts';
import type { ObjectFinding, TheoremFinding } from './findings.ts';
import { article, writtenIn } from './written-names.ts';

/**
 * Environment extensions whose entries change how later text is read, what tactics try automatically, or what compiled
 * code does. Soundness does not depend on this list, since the kernel checks every constant and statements are compiled
 * separately: it prevents one proof from helping or hindering the next. Entries that Lean makes for every proof
 * (positions, axioms, equations, theorems by definition) are not listed.
 */
const MEANING =
  /simp(?:roc|Ext|ext|Congr)|[iI]nstance|coe(?:Ext|Fun|Sort)|[pP]arser|[mM]acro|[eE]lab(?:orator)?Attribute|[tT]oken|[cC]ategory|[uU]nexpander|[dD]elab|attributeExtension|unificationHint|aliasExt|reducibilityExtra|[gG]rind|extExtension|congrExtension|customEliminator|rflExt|symmExt|transExt|implementedBy|extern|[cC][sS]imp|regularInit|builtinInit|optionDecl|[aA]esop/;

/** The extensions in which `simp` and `grind =` keep marked theorems. */
const MARKS: ReadonlySet<string> = new Set(['Lean.Meta.simpExtension', 'Lean.Meta.Grind.grindExt']);

export interface ProofsExpected {
  /** The imports that the text must have: `import Foo`, one per line. */
  readonly importLines: readonly string[];
  /** Lean's messages about unreadable statements, by the index of the requested theorem. */
  readonly unreadable: ReadonlyMap<number, string>;
  readonly toleratesLibraryAxioms: boolean;
  /** Whether a proof may use what another one made, as theorems of one file may. */
  readonly mayShare: boolean;
  /** The text with the proofs. Missing: definitions made by proofs are not looked up in it. */
  readonly text?: string;
  /** Whether the text marks theorems for `simp` and `grind`, as our text of a grown library does. */
  readonly mayMark: boolean;
}

/**
 * `report.asked` has the theorems and gives the order of the results. Every other constant must belong to one of them.
 */
export function findProofs(report: ModuleReport, expected: ProofsExpected): ObjectFinding {
  const own = Map.groupBy(report.constants, ({ madeFor }) => madeFor);
  const isWritten = expected.text === undefined ? () => true : writtenIn(expected.text);
  const theorems = report.asked.map((asked, index): TheoremFinding => {
    const mine = own.get(index) ?? [];
    const theorem = asked.index === null ? undefined : report.constants[asked.index];
    const rests = asked.reaches.map((index) => report.constants[index]!);
    const [hiding] = asked.hiding;
    return {
      name: asked.name,
      ...(hiding === undefined ? {} : { misread: misreading(hiding) }),
      line: theorem?.range?.line ?? 0,
      column: theorem?.range?.column ?? 0,
      axioms: axiomNames(theorem),
      mentions: asked.mentions,
      ...against(
        objectionTo(asked, theorem, mine, rests, index, expected) ?? foreignDefinition(asked.name, mine, isWritten),
      ),
      ...worst(mine),
    };
  });
  const objection = moduleObjection(report, own, expected);
  const isClean = objection === null && isSound(report);
  return { theorems, objection, open: null, isSound: isClean, notes: [], others: [] };
}

const against = (objection: Objection | string | null): Pick<TheoremFinding, 'objection' | 'restsOn'> => {
  if (objection === null || typeof objection === 'string') return { objection };
  const { text, restsOn } = objection;
  return { objection: text, ...(restsOn && { restsOn }) };
};

const misreading = ({ name, hidden }: Hiding): string =>
  `the header declares ${name}, which reads like the imported ${hidden}`;

function objectionTo(
  { statement }: ModuleReport['asked'][number],
  theorem: CheckedConstant | undefined,
  mine: readonly CheckedConstant[],
  rests: readonly CheckedConstant[],
  index: number,
  { toleratesLibraryAxioms, unreadable, mayShare }: ProofsExpected,
): Objection | string | null {
  const unread = unreadable.get(index);
  if (unread !== undefined) return `its statement cannot be read: ${unread}`;
  if (theorem === undefined) return 'the compiled module does not hold it';
  if (theorem.kind !== 'theorem') return `it is compiled as ${article(theorem.kind)}, not as a theorem`;
  if (statement === 'unknown') return 'there is no statement to compare it with';
  if (statement === 'other') return 'it states something else than was to be proved';
  const odd = mine.find(
    (constant) =>
      constant !== theorem && !isProofPart(constant) && !(isForCompiler(constant) && !rests.includes(constant)),
  );
  if (odd !== undefined) return `the proof adds ${article(odd.kind)} of its own: ${odd.name}`;
  const nobodys = rests.find(({ madeFor }) => madeFor === null);
  if (nobodys !== undefined) return `it rests on ${nobodys.name}, which belongs to no proof`;
  const isAnothers = ({ madeFor }: CheckedConstant): boolean => typeof madeFor === 'number' && madeFor !== index;
  const anothers = mayShare ? undefined : rests.find(isAnothers);
  const onAxioms = axiomObjection(theorem, toleratesLibraryAxioms);
  if (onAxioms !== null || anothers === undefined) return onAxioms;
  return { text: `it rests on ${anothers.name}, which was made for another proof`, restsOn: 'another proof' };
}

/**
 * Finds a constant that is neither named in the proof (`let rec`, `where`) nor derived by Lean from such a constant.
 */
function foreignDefinition(
  theorem: string,
  mine: readonly CheckedConstant[],
  isWritten: (part: string) => boolean,
): string | null {
  const length = nameParts(theorem).length;
  const odd = mine.find(
    ({ name, kind }) =>
      kind === 'definition' &&
      !nameParts(name)
        .slice(length)
        .every((part) => isWritten(part)),
  );
  return odd === undefined ? null : `it comes with a definition that its text does not have: ${odd.name}`;
}

function moduleObjection(
  report: ModuleReport,
  own: ReadonlyMap<CheckedConstant['madeFor'], readonly CheckedConstant[]>,
  { importLines, mayMark }: ProofsExpected,
): string | null {
  const nobodys = own.get(null)?.[0];
  if (nobodys !== undefined) return `holds ${article(nobodys.kind)} that belongs to no proof: ${nobodys.name}`;
  for (const derived of own.get('imported') ?? []) {
    if (!isProofPart(derived)) return `adds ${article(derived.kind)} to an imported constant: ${derived.name}`;
    if (derived.verdict !== 'accepted') return derived.message;
  }
  for (const given of own.get('given') ?? [])
    if (given.verdict !== 'accepted' && !isForCompiler(given)) return `a definition above it: ${given.message}`;
  const extension = report.extensions.find(({ name }) => MEANING.test(name) && !(mayMark && MARKS.has(name)));
  if (extension !== undefined) return `makes entries for ${extension.name}, which could change what other text means`;
  return importObjection(report, importedNames(readHeader(importLines.join('\n'))));
}

/**
 * Returns an objection if the module's imports, including Lean's own, differ from those of its text; otherwise null.
 */
export function importObjection({ imports }: ModuleReport, wanted: ReadonlySet<string>): string | null {
  const given = new Set(imports);
  const unlike = [...given].find((name) => !wanted.has(name)) ?? [...wanted].find((name) => !given.has(name));
  return unlike === undefined ? null : `imports other modules than it was to: ${unlike}`;
}

/** Whether the kernel accepted every constant that is not set aside. */
export function isSound({ constants }: ModuleReport): boolean {
  return constants.every(({ verdict }) => verdict === 'accepted' || verdict === 'outside');
}

/** Whether a constant is a part of a proof besides its theorem: a lemma or function that the kernel has checked. */
function isProofPart({ kind, safety }: CheckedConstant): boolean {
  return (kind === 'theorem' || kind === 'definition') && safety === 'safe';
}

/** Whether a constant is the compiler's version of a recursive local function; no proof depends on it. */
function isForCompiler({ kind, safety, name }: CheckedConstant): boolean {
  return kind === 'definition' && safety === 'partial' && name.endsWith('._unsafe_rec');
}

/** Returns the second kernel's worst verdict on a theorem and its parts. */
export function worst(constants: readonly CheckedConstant[]): Pick<TheoremFinding, 'kernel' | 'reason'> {
  const rejected = constants.find(({ verdict }) => verdict === 'rejected');
  if (rejected !== undefined) return { kernel: 'rejected', reason: rejected.message };
  const open = constants.find((constant) => constant.verdict !== 'accepted' && !isForCompiler(constant));
  if (open !== undefined) return { kernel: 'declined', reason: open.message };
  if (constants.length === 0) return { kernel: 'declined', reason: 'it is not in the module' };
  return { kernel: 'accepted', reason: '' };
}
