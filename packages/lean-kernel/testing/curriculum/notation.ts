/**
 * The notation of the curriculum: declarations as parenthesised lists, which are read as words of `build.ts`.
 *
 *     good|bad RULE — topic                   (the last declaration has that verdict; earlier ones are accepted)
 *     (def NAME (u …) TYPE VALUE)  (thm …)  (axiom NAME (u …) TYPE)
 *     (inductive (u …) PARAMETERS (T TYPE (T.constructor TYPE) …) …)
 *
 * Terms: `x` is the variable in scope with that name, otherwise a constant; `NAME.{u,1}` a constant at levels; `12`,
 * `"text"`, `#0` (a bound variable by index), `Prop`, `Type`, `(Sort LEVEL)`, `(fn (x TYPE) … BODY)`, `(all (x TYPE) …
 * BODY)`, `(-> A … B)`, `(let (x TYPE VALUE) BODY)`, `(proj STRUCTURE INDEX TERM)`, `(f a …)`.
 *
 * Levels: numbers, parameters, `(max a b)`, `(imax a b)`, `(+ a 1)`. A line that begins with `;` is a comment.
 */
import type { Verdict } from '../../verdict.ts';
import * as w from '../build.ts';

type Form = string | readonly Form[];

export interface Case {
  readonly title: string;
  /** A rule, or `accepted`. */
  readonly expected: string;
  readonly declarations: readonly Form[];
}

export function parseCases(source: string): Case[] {
  const lines = source.split('\n').filter((line) => !line.startsWith(';'));
  const cases: { title: string; expected: string; text: string }[] = [];
  for (const line of lines) {
    const head = /^(?:good|bad ([a-z-]+)) — (.+)$/.exec(line);
    if (head !== null) cases.push({ title: head[2]!, expected: head[1] ?? 'accepted', text: '' });
    else if (line.trim() !== '') cases.at(-1)!.text += `${line}\n`;
  }
  return cases.map(({ text, ...rest }) => ({ ...rest, declarations: parseForms(text) }));
}

function parseForms(text: string): Form[] {
  const open: Form[][] = [[]];
  for (const [token] of text.matchAll(/"[^"]*"|[()]|[^\s()"]+/g)) {
    if (token === '(') open.push([]);
    else if (token === ')') {
      const done = open.pop()!;
      open.at(-1)!.push(done);
    } else open.at(-1)!.push(token);
  }
  if (open.length !== 1) throw new Error(`parentheses do not match in: ${text}`);
  return open[0]!;
}

export function declare(build: w.Build, form: Form): Verdict {
  const [kind, first, second, third, fourth] = form as [string, Form, Form, Form, Form];
  switch (kind) {
    case 'def':
      return build.define(first as string, term(third), term(fourth), second as string[]);
    case 'thm':
      return build.prove(first as string, term(third), term(fourth), second as string[]);
    case 'axiom':
      return build.axiom(first as string, term(third), second as string[]);
    case 'inductive': {
      const parameters = Number(second);
      const types = form.slice(3) as [string, Form, ...[string, Form][]][];
      return build.inductive(
        types.map(([name, its, ...constructors]) => ({
          name,
          type: term(its),
          constructors: constructors.map(([of, type]) => [of, term(type)] as const),
          indices: Math.max(0, arity(its) - parameters),
        })),
        parameters,
        first as string[],
      );
    }
    default:
      throw new Error(`no declaration: ${kind}`);
  }
}

/** Number of arguments of a type, as written. */
function arity(form: Form): number {
  if (typeof form === 'string') return 0;
  const inner = arity(form.at(-1)!);
  if (form[0] === 'all' || form[0] === '->') return form.length - 2 + inner;
  return 0;
}

function level(form: Form): w.LevelWord {
  if (typeof form === 'string') return /^\d+$/.test(form) ? Number(form) : form;
  const [head, left, right] = form as [string, Form, Form];
  if (head === 'max') return w.maximum(level(left), level(right));
  if (head === 'imax') return w.impredicative(level(left), level(right));
  let made = level(left);
  for (let count = 0; count < Number(right); count++) made = w.successor(made);
  return made;
}

function atom(form: string): w.Word {
  if (/^\d+$/.test(form)) return w.number(BigInt(form));
  if (form.startsWith('"')) return w.text(form.slice(1, -1));
  if (form.startsWith('#')) return w.raw(Number(form.slice(1)));
  if (form === 'Prop') return w.prop;
  if (form === 'Type') return w.type;
  const atLevels = /^(.+)\.\{(.*)\}$/.exec(form);
  if (atLevels !== null) return w.c(atLevels[1]!, ...atLevels[2]!.split(',').map(level));
  return (build, scope) => (scope.includes(form) ? w.v(form) : w.c(form))(build, scope);
}

function term(form: Form): w.Word {
  if (typeof form === 'string') return atom(form);
  const [head, ...rest] = form;
  switch (head) {
    case 'Sort':
      return w.sort(level(rest[0]!));
    case '->':
      return rest.slice(0, -1).reduceRight<w.Word>((body, domain) => w.arrow(term(domain), body), term(rest.at(-1)!));
    case 'fn':
    case 'all':
      return (rest.slice(0, -1) as [string, Form][]).reduceRight<w.Word>(
        (body, [name, its]) => (head === 'fn' ? w.fn : w.pi)(name, term(its), body),
        term(rest.at(-1)!),
      );
    case 'let': {
      const [name, its, value] = rest[0] as [string, Form, Form];
      return w.local(name, term(its), term(value), term(rest[1]!));
    }
    case 'proj':
      return w.projection(rest[0] as string, Number(rest[1]), term(rest[2]!));
    default:
      return w.call(term(head!), ...rest.map(term));
  }
}
