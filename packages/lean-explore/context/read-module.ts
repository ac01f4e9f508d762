/** Reads the contexts of statements from a compiled module and its imports, without running any code. */
import {
  type CompiledConstant,
  CompiledLibrary,
  type CompiledModule,
  DEFAULT_LIMITS,
  displayName,
  explained,
  Kernel,
  moduleName,
  type Name,
  readModule,
  Terms,
} from '@stp/lean-kernel';
import { applicationsIn } from './applications.ts';
import { BinderReader } from './binders.ts';
import { type DefinitionOptions, DefinitionReader, type OwnConstants } from './definitions.ts';
import { grindUnder, mentionsCond, predicatesIn, unfoldableIn } from './shared-constants.ts';
import type { ContextAnswer } from './statement-context.ts';
import { writtenName } from './written-name.ts';

export interface ModuleToRead extends DefinitionOptions {
  readonly path: string;
  /** Folders that contain its imported modules. */
  readonly searchPath: readonly string[];
  readonly indexFolder: string | null;
}

export interface StatedName {
  /** Index among the requested statements. */
  readonly index: number;
  /** Name of the theorem in the module. */
  readonly name: string;
  /** Namespaces that are open in its proof. */
  readonly opened: readonly string[];
}

/** Throws `InputError` for a file that is not a module, or `Decline`. */
export function readContexts(stated: readonly StatedName[], options: ModuleToRead): ContextAnswer[] {
  const terms = new Terms();
  const module = readModule(options.path, terms);
  const imports = [...new Set(module.imports.map((name) => moduleName(terms.names, name)))];
  const library = new CompiledLibrary(terms, imports, options.searchPath, options.indexFolder);
  const kernel = new Kernel(terms, { limits: DEFAULT_LIMITS, trusted: library });
  const parts = {
    terms,
    module,
    library,
    indices: new Map(module.names.map((name, index) => [name, index])),
    written: explained(options.path, () => module.entries.sourceRanges()),
    binders: new BinderReader(terms, kernel, library),
    definitions: new DefinitionReader(terms, library, options),
  };
  return explained(options.path, () => stated.map((one) => readOne(one, parts)));
}

interface Parts {
  readonly terms: Terms;
  readonly module: CompiledModule;
  readonly library: CompiledLibrary;
  readonly indices: ReadonlyMap<Name, number>;
  readonly written: ReadonlyMap<Name, unknown>;
  readonly binders: BinderReader;
  readonly definitions: DefinitionReader;
}

function readOne({ name, opened }: StatedName, parts: Parts): ContextAnswer {
  const { terms, module, library, indices, written } = parts;
  const own: OwnConstants = {
    constant(its: Name): CompiledConstant | null {
      const index = indices.get(its);
      return index === undefined ? null : module.constant(index);
    },
    isWritten: (its) => written.has(its),
    binders: (its) => module.binders(indices.get(its)!),
  };
  const index = indices.get(terms.names.of(name));
  const constant = index === undefined ? undefined : module.constant(index);
  if (index === undefined || constant?.kind !== 'theorem')
    return { context: null, reason: 'the module has no such theorem' };
  const binders = parts.binders.read(constant, module.binders(index));
  if (binders === null) return { context: null, reason: 'the types of its binders could not be told' };
  const { definitions, names, core } = parts.definitions.mentionedBy(constant.type, own);
  const scope = {
    opened,
    bound: new Set(binders.flatMap((binder) => binder.name ?? [])),
    has: (dotted: string) => library.has(terms.names.of(dotted)) || indices.has(terms.names.of(dotted)),
  };
  const fullNames = new Map(names.map((its, index) => [its, definitions[index]!]));
  const classes = new Set(
    binders.flatMap(({ kind, typeHead }) => (kind === 'instance' && typeHead !== null ? [typeHead] : [])),
  );
  const shown = (its: Name): string => displayName(terms.names, its);
  const functions = unfoldableIn(terms, library, core);
  const recursiveCore = new Set(core.filter((its) => parts.definitions.isRecursive(its, own)));
  const applications = applicationsIn(terms, constant.type, (its) =>
    fullNames.get(its)?.kind === 'definition' || recursiveCore.has(its)
      ? (indices.has(its) ? own : library).binders(its).map(({ kind }) => kind)
      : null,
  );
  return {
    reason: '',
    context: {
      binders,
      definitions: definitions.map((definition) => ({ ...definition, written: writtenName(definition.name, scope) })),
      applications: applications.flatMap((application) => {
        const given = application.positions.map((at) => binders[at]!);
        if (given.some((binder) => binder.name === null || binder.isShadowed)) return [];
        const its = fullNames.get(application.name);
        const full = its?.name ?? shown(application.name);
        return [
          {
            definition: full,
            written: its === undefined ? full : writtenName(full, scope),
            isRecursive: its?.isRecursive ?? true,
            arguments: given.map((binder) => binder.name!),
          },
        ];
      }),
      predicates: predicatesIn(terms, library, constant.type, new Set(core)).filter(
        ({ name: its }) => !classes.has(its),
      ),
      core: core.map(shown),
      coreFunctions: functions.map(shown),
      unfoldsToCond: scope.has('Bool.cond_eq_ite') && functions.some((its) => mentionsCond(terms, library, its)),
      grind: grindUnder(scope.has),
    },
  };
}
