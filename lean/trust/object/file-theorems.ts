/**
 * Lists the theorems and axioms of a file from its object: all that a person wrote, in the order of the source.
 * Constants that Lean generated (equations, cases) are checked by the kernel like all others and not listed.
 */
import type { CheckedConstant, ModuleReport } from '../../kernel/olean/report.ts';
import { axiomNames, axiomObjection, isSorry } from './axiom-policy.ts';
import type { ObjectFinding, TheoremFinding } from './findings.ts';

export function findInFile(report: ModuleReport, toleratesLibraryAxioms: boolean): ObjectFinding {
  const listed = report.constants.filter(
    ({ kind, range }) => kind === 'axiom' || (kind === 'theorem' && range !== null),
  );
  const theorems = listed.map((constant): TheoremFinding => {
    const { name, range, verdict, message } = constant;
    return {
      name,
      line: range?.line ?? 0,
      column: range?.column ?? 0,
      axioms: axiomNames(constant),
      restsOn: [],
      mentions: [],
      objection:
        constant.kind === 'axiom' ? 'an axiom: nothing proves it' : axiomObjection(constant, toleratesLibraryAxioms),
      kernel: verdict === 'outside' ? 'declined' : verdict,
      reason: message,
    };
  });
  const known = new Set(listed);
  return { theorems, objection: unlisted(report, known), open: unproved(report, known) };
}

/** A constant that the second kernel rejects speaks against the whole file where no theorem of it is to blame. */
function unlisted(report: ModuleReport, listed: ReadonlySet<CheckedConstant>): string | null {
  const wrong = report.constants.find((constant) => constant.verdict === 'rejected' && !listed.has(constant));
  return wrong === undefined ? null : `the second kernel refuses ${wrong.name}: ${wrong.message}`;
}

/** A definition or an instance with an open place in it: a reader of the file takes it for complete. */
function unproved({ constants }: ModuleReport, listed: ReadonlySet<CheckedConstant>): string | null {
  const open = constants.find((constant) => !listed.has(constant) && constant.axioms.some(isSorry));
  return open === undefined ? null : `${open.name} rests on \`sorry\``;
}
