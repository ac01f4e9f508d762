/**
 * Renders the `(prove …)` goal of a TIP problem as a Lean statement, by fixed rules for the part of TIP's SMT-LIB that
 * goals use. The problem set's vocabulary names functions and types. Definitions are not translated.
 *
 * Rules: Nat numerals and successors become `2`, `n + 1`; lists and pairs Lean's own; a Boolean in the place of a
 * formula `b` is `b = true`, `(not b)` is `b = false`; `distinct` is `≠`; a `let` is replaced by what it names; asking
 * by `match` whether a list is nil is `xs = []` in a formula and `xs.isEmpty` in a term; a `match` on a pair is its
 * projections; type variables become implicit binders, with `DecidableEq` where the goal compares their elements.
 */
import { StpError } from '@stp/base';
import type { SExpression } from './s-expression.ts';

/** Lean names for the symbols of one problem file. */
export interface Vocabulary {
  /** Functions and constructors. A symbol that is neither in a table nor bound is an error. */
  readonly terms: ReadonlyMap<string, string>;
  readonly types: ReadonlyMap<string, string>;
  /** Functions that compare elements of a type variable. */
  readonly comparing: ReadonlySet<string>;
}

/** Precedences of Lean's notations, as in its Prelude. A term of lower precedence than its context gets brackets. */
const LOWEST = 0;
const ARROW = 25;
const OR = 30;
const AND = 35;
const EQUALITY = 50;
const SUM = 65;
const CONS = 67;
const ARGUMENT = 1024;
const TYPE_VARIABLES: ReadonlyMap<string, string> = new Map([
  ['a', 'α'],
  ['b', 'β'],
  ['c', 'γ'],
  ['Any', 'α'],
]);
const ZEROS = new Set(['Z', 'zero']);
const SUCCESSORS = new Set(['S', 'succ']);

type Scope = ReadonlyMap<string, Printed>;
interface Printed {
  readonly text: string;
  readonly strength: number;
}

/**
 * Returns `theorem NAME BINDERS : TYPE` for the goal among `forms`. Throws STP1501 for a goal that the rules do not
 * cover.
 */
export function renderGoal(name: string, forms: readonly SExpression[], vocabulary: Vocabulary): string {
  const goals = forms.filter((form) => head(form) === 'prove');
  if (goals.length !== 1) throw unsupported(name, `${goals.length} goals`);
  return new GoalPrinter(name, vocabulary).theorem(goals[0]![1]!);
}

class GoalPrinter {
  readonly #name: string;
  readonly #vocabulary: Vocabulary;
  #compares = false;

  constructor(name: string, vocabulary: Vocabulary) {
    this.#name = name;
    this.#vocabulary = vocabulary;
  }

  theorem(goal: SExpression): string {
    const [typeVariables, inner] = head(goal) === 'par' ? [goal[1] as string[], goal[2]!] : [[], goal];
    const [parameters, body] =
      head(inner) === 'forall' ? [inner[1] as readonly [string, SExpression][], inner[2]!] : [[], inner];
    const scope: Scope = new Map(parameters.map(([parameter]) => [parameter, atom(parameter)]));
    const conclusion = this.#formula(body, scope, LOWEST);
    const types = [
      ...typeVariables.map((variable) => this.#type(variable, LOWEST)),
      ...(JSON.stringify(goal).includes('"Any"') ? ['α'] : []),
    ].sort();
    const binders = [
      ...(types.length === 0 ? [] : [`{${types.join(' ')} : Type}`]),
      ...(this.#compares ? types.map((type) => `[DecidableEq ${type}]`) : []),
      ...grouped(parameters.map(([parameter, type]) => [parameter, this.#type(type, LOWEST)])),
    ];
    return `theorem ${[this.#name, ...binders].join(' ')} : ${conclusion}`;
  }

  #type(type: SExpression, outerStrength: number): string {
    if (typeof type === 'string') {
      const text = TYPE_VARIABLES.get(type) ?? this.#vocabulary.types.get(type);
      if (text === undefined) throw unsupported(this.#name, `type ${type}`);
      return text;
    }
    const [former, ...parts] = type;
    switch (former) {
      case 'list':
        return bracketed({ text: `List ${this.#type(parts[0]!, ARGUMENT)}`, strength: ARGUMENT - 1 }, outerStrength);
      case 'pair':
        return bracketed(
          { text: `${this.#type(parts[0]!, AND + 1)} × ${this.#type(parts[1]!, AND)}`, strength: AND },
          outerStrength,
        );
      case '=>':
        return bracketed(
          { text: parts.map((part) => this.#type(part, ARROW + 1)).join(' → '), strength: ARROW },
          outerStrength,
        );
      default:
        return bracketed(
          {
            text: `${this.#type(former!, ARGUMENT)} ${parts.map((part) => this.#type(part, ARGUMENT)).join(' ')}`,
            strength: ARGUMENT - 1,
          },
          outerStrength,
        );
    }
  }

  /** Renders a proposition. */
  #formula(e: SExpression, scope: Scope, outerStrength: number): string {
    const list = Array.isArray(e) ? (e as readonly SExpression[]) : [];
    const infix = (symbol: string, strength: number) =>
      `${this.#formula(list[1]!, scope, strength + 1)} ${symbol} ${this.#formula(list[2]!, scope, strength)}`;
    const equation = (symbol: string) =>
      `${this.#term(list[1]!, scope, EQUALITY + 1)} ${symbol} ${this.#term(list[2]!, scope, EQUALITY + 1)}`;
    switch (head(e)) {
      case '=':
        return bracketed({ text: equation('='), strength: EQUALITY }, outerStrength);
      case 'distinct':
        return bracketed({ text: equation('≠'), strength: EQUALITY }, outerStrength);
      case '=>':
        return bracketed({ text: infix('→', ARROW), strength: ARROW }, outerStrength);
      case 'and':
        return bracketed({ text: infix('∧', AND), strength: AND }, outerStrength);
      case 'or':
        return bracketed({ text: infix('∨', OR), strength: OR }, outerStrength);
      case 'not': {
        const tested = nilTest(list[1]!);
        const [left, symbol, right] = tested === null ? [list[1]!, '=', 'false'] : [tested, '≠', '[]'];
        return bracketed(
          { text: `${this.#term(left, scope, EQUALITY + 1)} ${symbol} ${right}`, strength: EQUALITY },
          outerStrength,
        );
      }
      case 'let':
        return this.#formula(list[2]!, this.#withLets(list[1]!, scope), outerStrength);
      default: {
        const tested = nilTest(e);
        const [left, right] = tested === null ? [e, 'true'] : [tested, '[]'];
        return bracketed(
          { text: `${this.#term(left, scope, EQUALITY + 1)} = ${right}`, strength: EQUALITY },
          outerStrength,
        );
      }
    }
  }

  #term(e: SExpression, scope: Scope, outerStrength: number): string {
    return bracketed(this.#printed(e, scope), outerStrength);
  }

  #printed(e: SExpression, scope: Scope): Printed {
    if (typeof e === 'string') return this.#symbol(e, scope);
    const [operator, ...parts] = e;
    const tested = nilTest(e);
    if (tested !== null) return { text: `${this.#term(tested, scope, ARGUMENT)}.isEmpty`, strength: ARGUMENT };
    if (typeof operator !== 'string') throw unsupported(this.#name, JSON.stringify(e));
    if (SUCCESSORS.has(operator)) return this.#successor(e, scope);
    const infix = (symbol: string, strength: number) => ({
      text: `${this.#term(parts[0]!, scope, strength + 1)} ${symbol} ${this.#term(parts[1]!, scope, strength)}`,
      strength,
    });
    switch (operator) {
      case '_':
        if (parts[0] !== 'nil') return this.#symbol(parts[0] as string, scope);
        return atom(parts[1] === 'Any' ? `([] : List ${this.#type('Any', ARGUMENT)})` : '[]');
      case 'cons':
        if (head(parts[1]!) === '_') return atom(`[${this.#term(parts[0]!, scope, LOWEST)}]`);
        return infix('::', CONS);
      case 'pair2':
        return atom(`(${this.#term(parts[0]!, scope, LOWEST)}, ${this.#term(parts[1]!, scope, LOWEST)})`);
      case '@':
        return this.#application(this.#term(parts[0]!, scope, ARGUMENT), parts.slice(1), scope);
      case 'or':
        return infix('||', OR);
      case 'and':
        return infix('&&', AND);
      case '=':
        this.#compares = true;
        return { text: `decide (${this.#formula(e, scope, LOWEST)})`, strength: ARGUMENT - 1 };
      case 'ite': {
        const [condition, yes, no] = parts.map((part) => this.#term(part, scope, LOWEST));
        return { text: `if ${condition} then ${yes} else ${no}`, strength: LOWEST };
      }
      case 'let':
        return this.#printed(parts[1]!, this.#withLets(parts[0]!, scope));
      case 'lambda':
        return this.#lambda(parts[0] as readonly [string, SExpression][], parts[1]!, scope);
      case 'match':
        return this.#pairMatch(parts, scope);
      default:
        if (this.#vocabulary.comparing.has(operator)) this.#compares = true;
        return this.#application(this.#symbol(operator, scope).text, parts, scope);
    }
  }

  #symbol(symbol: string, scope: Scope): Printed {
    const printed = scope.get(symbol);
    if (printed !== undefined) return printed;
    if (ZEROS.has(symbol)) return atom('0');
    const text = /^(?:\d+|true|false)$/u.test(symbol) ? symbol : this.#vocabulary.terms.get(symbol);
    if (text === undefined) throw unsupported(this.#name, `symbol ${symbol}`);
    return atom(text);
  }

  #application(name: string, parts: readonly SExpression[], scope: Scope): Printed {
    const text = [name, ...parts.map((part) => this.#term(part, scope, ARGUMENT))].join(' ');
    return { text, strength: ARGUMENT - 1 };
  }

  #successor(e: SExpression, scope: Scope): Printed {
    let count = 0;
    let inner = e;
    for (; Array.isArray(inner) && SUCCESSORS.has(head(inner) ?? ''); inner = inner[1]!) count += 1;
    if (typeof inner === 'string' && ZEROS.has(inner)) return atom(String(count));
    return { text: `${this.#term(inner, scope, SUM)} + ${count}`, strength: SUM };
  }

  #lambda(parameters: readonly [string, SExpression][], body: SExpression, scope: Scope): Printed {
    const names = parameters.map(([parameter]) => parameter);
    const inner = new Map([...scope, ...names.map((parameter) => [parameter, atom(parameter)] as const)]);
    const used = names.map((parameter) => (mentions(body, parameter) ? parameter : '_'));
    const text = this.#term(body, inner, LOWEST).replace(/^fun /u, '');
    const nested = head(body) === 'lambda';
    return { text: `fun ${used.join(' ')} ${nested ? '' : '=> '}${text}`, strength: LOWEST };
  }

  /** Renders `(match x (((pair2 y z) e)))`: `e` with `y` and `z` replaced by the projections of `x`. */
  #pairMatch(parts: readonly SExpression[], scope: Scope): Printed {
    const cases = parts[1] as readonly (readonly [SExpression, SExpression])[];
    const pattern = cases[0]![0];
    if (cases.length !== 1 || head(pattern) !== 'pair2') throw unsupported(this.#name, 'match');
    const pair = this.#term(parts[0]!, scope, ARGUMENT);
    const inner = new Map(scope);
    inner.set(pattern[1] as string, atom(`${pair}.1`));
    inner.set(pattern[2] as string, atom(`${pair}.2`));
    return this.#printed(cases[0]![1], inner);
  }

  #withLets(bindings: SExpression, scope: Scope): Scope {
    const pairs = bindings as readonly (readonly [string, SExpression])[];
    return new Map([...scope, ...pairs.map(([name, value]) => [name, this.#printed(value, scope)] as const)]);
  }
}

function atom(text: string): Printed {
  return { text, strength: ARGUMENT };
}

function bracketed({ text, strength }: Printed, outerStrength: number): string {
  return strength < outerStrength ? `(${text})` : text;
}

function head(e: SExpression): string | undefined {
  return typeof e === 'string' ? undefined : typeof e[0] === 'string' ? e[0] : undefined;
}

function mentions(e: SExpression, symbol: string): boolean {
  return typeof e === 'string' ? e === symbol : e.some((part) => mentions(part, symbol));
}

/** Returns the list that `(match xs ((nil true) ((cons x y) false)))` tests, else null. */
function nilTest(e: SExpression): SExpression | null {
  if (head(e) !== 'match') return null;
  const cases = JSON.stringify(e[2]).replace(/\["cons","[^"]+","[^"]+"\]/u, '"cons"');
  return cases === '[["nil","true"],["cons","false"]]' ? e[1]! : null;
}

/** Returns `(n m : Nat) (xs : List α)` for parameters in order. */
function grouped(parameters: readonly (readonly [string, string])[]): readonly string[] {
  const groups: { names: string[]; type: string }[] = [];
  for (const [name, type] of parameters) {
    const last = groups.at(-1);
    if (last?.type === type) last.names.push(name);
    else groups.push({ names: [name], type });
  }
  return groups.map(({ names, type }) => `(${names.join(' ')} : ${type})`);
}

function unsupported(name: string, what: string): StpError {
  return new StpError(
    'STP1501',
    `${name}: the goal's ${what} has no translation`,
    'Add it to the vocabulary or the rules.',
    {
      facts: { name },
    },
  );
}
