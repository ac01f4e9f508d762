/**
 * Lists the theorems, axioms and examples of a file from its compiled module: everything that a person wrote, in source
 * order. Constants that Lean generated (equations, cases) are checked by the kernel like all others, but not listed.
 * Whatever a kernel says, the module must not contain anything that the text does not declare, or import anything else.
 */
import type { CheckedConstant, ModuleReport, SourceRange } from '@stp/lean-kernel';
import { nameParts, readHeader, type Token, tokenize } from '@stp/lean-text';
import { importedNames } from '../header.ts';
import { PLACE_WORDS } from '../screen/forbidden.ts';
import { axiomNames, axiomObjection } from './axiom-policy.ts';
import { EXAMPLE, inOrder, type NamedExamples, splitCopy } from './examples.ts';
import type { DeclarationAxioms, ObjectFinding, TheoremFinding } from './findings.ts';
import { meaningOf } from './meaning.ts';
import { importObjection, isSound, worst } from './proof-policy.ts';
import { undeclared, writtenDeclarations } from './written-names.ts';
import { writtenInsertions, writtenNotation } from './written-notation.ts';

/** The copy of the text with named examples, and the report on its module. */
export interface ExampleCopy {
  readonly named: NamedExamples;
  readonly report: ModuleReport;
}

/** `text` is the file's. `copy` is null if the file has no example. */
export function findInFile(
  report: ModuleReport,
  toleratesLibraryAxioms: boolean,
  text: string,
  copy: ExampleCopy | null = null,
): ObjectFinding {
  const tokens = tokenize(text);
  const means = meaningIn(text, tokens);
  const listed = report.constants.filter(isListed);
  const theorems = listed.map((constant): TheoremFinding => {
    const { name, range, verdict, message } = constant;
    return {
      ...unrelated(constant),
      ...means(constant),
      name,
      line: range?.line ?? 0,
      column: range?.column ?? 0,
      objection:
        constant.kind === 'axiom'
          ? 'an axiom: nothing proves it'
          : (axiomObjection(constant, toleratesLibraryAxioms)?.text ?? null),
      kernel: verdict === 'outside' ? 'declined' : verdict,
      reason: message,
    };
  });
  const known = new Set(listed);
  const others = report.constants.filter((constant) => !known.has(constant));
  const objection =
    importObjection(report, importedNames(readHeader(text, tokens))) ??
    undeclared(report, tokens) ??
    unlisted(others) ??
    missing(report, text, tokens) ??
    tellsPosition(listed, text, tokens) ??
    (copy === null ? null : unlike(report, copy));
  return {
    theorems: copy === null ? theorems : inOrder([...theorems, ...examplesIn(copy, toleratesLibraryAxioms)]),
    objection,
    open: unproved(others, toleratesLibraryAxioms),
    isSound: objection === null && isSound(report),
    notes: [...others.flatMap(deceiving), ...writtenInsertions(text, withoutComments(tokens))],
    others: others.flatMap(declarationAxioms),
  };
}

const isListed = ({ kind, range }: CheckedConstant): boolean =>
  kind === 'axiom' || (kind === 'theorem' && range !== null);

const unrelated = (constant: CheckedConstant | undefined) => ({
  axioms: axiomNames(constant),
  mentions: [],
});

const withoutComments = (tokens: readonly Token[]): Token[] => tokens.filter(({ kind }) => kind !== 'comment');

/** Returns a function that finds what can mislead a reader of a constant's statement in the text. */
function meaningIn(text: string, allTokens: readonly Token[]) {
  const tokens = withoutComments(allTokens);
  const notation = writtenNotation(tokens);
  const spanOf = spansIn(text);
  return ({ range, statement }: CheckedConstant): Pick<TheoremFinding, 'meaning'> => {
    if (range === null || statement === undefined) return {};
    const { from, to } = spanOf(range);
    const own = tokens.filter(({ start }) => from <= start && start < to);
    const meaning = meaningOf(statement, own, notation);
    return meaning === null ? {} : { meaning };
  };
}

/** Returns a function that converts a range to text offsets. Columns count code points. */
function spansIn(text: string) {
  const lines = text.split('\n');
  const offsets = [0];
  for (const line of lines) offsets.push(offsets.at(-1)! + line.length + 1);
  const offsetOf = (line: number, column: number): number =>
    (offsets[line - 1] ?? text.length) + [...(lines[line - 1] ?? '')].slice(0, column).join('').length;
  return ({ line, column, endLine, endColumn }: SourceRange) => ({
    from: offsetOf(line, column),
    to: offsetOf(endLine, endColumn),
  });
}

function examplesIn({ named, report }: ExampleCopy, toleratesLibraryAxioms: boolean): TheoremFinding[] {
  const { own, parts } = splitCopy(report, named.examples);
  const means = meaningIn(named.text, tokenize(named.text));
  return named.examples.map(({ line, column }, index) => {
    const constant = own[index];
    const objection =
      constant === undefined
        ? null
        : (axiomObjection(constant, toleratesLibraryAxioms)?.text ?? unproved(parts[index]!, toleratesLibraryAxioms));
    return {
      ...unrelated(constant),
      ...(constant === undefined ? {} : means(constant)),
      name: EXAMPLE,
      isExample: true,
      line,
      column,
      objection,
      ...worst(parts[index]!),
    };
  });
}

/**
 * Compares the copy's module with the text's: apart from examples they must have the same constants. Returns a
 * difference or null.
 */
function unlike(report: ModuleReport, { named, report: ofCopy }: ExampleCopy): string | null {
  const { constants, own } = splitCopy(ofCopy, named.examples);
  const absent = own.indexOf(undefined);
  const written = (all: readonly CheckedConstant[]): Set<string> =>
    new Set(all.filter(({ range }) => range !== null).map(({ kind, name }) => `${kind} ${name}`));
  const [mine, theirs] = [written(report.constants), written(constants)];
  const odd = [...mine].find((key) => !theirs.has(key)) ?? [...theirs].find((key) => !mine.has(key));
  const tokens = tokenize(named.text);
  return (
    importObjection(ofCopy, new Set(report.imports)) ??
    undeclared(ofCopy, tokens) ??
    tellsPosition(own, named.text, tokens) ??
    (absent < 0 ? null : `line ${named.examples[absent]!.line}: this example left nothing that could be judged`) ??
    (odd === undefined ? null : `examples could not be judged: with names for them the file has another ${odd}`)
  );
}

/**
 * Returns a statement that depends on its own name, line or module: an example has another name here, and the file
 * another module.
 */
function tellsPosition(
  constants: readonly (CheckedConstant | undefined)[],
  text: string,
  allTokens: readonly Token[],
): string | null {
  const words = allTokens.filter(({ kind, text: word }) => kind === 'word' && PLACE_WORDS.has(word));
  const spanOf = spansIn(text);
  for (const constant of words.length === 0 ? [] : constants) {
    if (!constant?.range) continue;
    const { from, to } = spanOf(constant.range);
    const word = words.find(({ start }) => from <= start && start < to);
    if (word !== undefined)
      return `line ${constant.range.line}: \`${word.text}\` holds where it stands, so the statement is another one elsewhere`;
  }
  return null;
}

/** An objection to the whole file: the second kernel rejects a constant that belongs to no listed theorem. */
function unlisted(others: readonly CheckedConstant[]): string | null {
  const wrong = others.find(({ verdict }) => verdict === 'rejected');
  return wrong === undefined ? null : `the second kernel refuses ${wrong.name}: ${wrong.message}`;
}

/**
 * Finds a declaration of the text without a constant in the module. A command around it may have made Lean forget it,
 * or Lean never read it, which means that we read the text differently from Lean.
 */
function missing({ constants }: ModuleReport, text: string, allTokens: readonly Token[]): string | null {
  const spanOf = spansIn(text);
  const spans = constants.flatMap(({ name, range }) =>
    range === null ? [] : [{ last: nameParts(name).at(-1), ...spanOf(range) }],
  );
  for (const { word, name, start } of writtenDeclarations(withoutComments(allTokens))) {
    if (spans.some(({ last, from, to }) => (name === null || last === name) && from <= start && start < to)) continue;
    return `line ${text.slice(0, start).split('\n').length}: this ${word} is not in the compiled module`;
  }
  return null;
}

/** Finds a definition or instance with a forbidden dependency, which a reader of the file would take for complete. */
function unproved(others: readonly CheckedConstant[], toleratesLibraryAxioms: boolean): string | null {
  for (const constant of others) {
    const objection = axiomObjection(constant, toleratesLibraryAxioms);
    if (objection !== null) return `${constant.name} ${objection.text}`;
  }
  return null;
}

/** Lean unfolds a coercion in a statement, so the statement does not mention it. */
const COERCION = /^Coe[A-Z]*[a-z]*$/;

function deceiving({ name, hides, statement, range }: CheckedConstant): string[] {
  // Instances made by a `deriving` clause are in a namespace that nothing opens.
  if (hides !== undefined && !/^inst[A-Z]/.test(name)) return [`${hides.name} reads like the imported ${hides.hidden}`];
  return range !== null && COERCION.test(statement?.head ?? '') ? [`line ${range.line}: a coercion, ${name}`] : [];
}

/** Returns the axioms of a declaration that is not a theorem; empty if it depends on none. */
function declarationAxioms(constant: CheckedConstant): DeclarationAxioms[] {
  const { name, range } = constant;
  const axioms = axiomNames(constant);
  return range === null || axioms.length === 0 ? [] : [{ name, line: range.line, column: range.column, axioms }];
}
