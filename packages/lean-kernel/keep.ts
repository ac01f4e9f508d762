/** Keeps terms from scratch: records them, and creates them again as permanent terms after scratch was dropped. */
import {
  APPLICATION,
  CONSTANT,
  type Expr,
  FORALL,
  LAMBDA,
  LET,
  NATURAL,
  PROJECTION,
  SORT,
  STRING,
  type Terms,
} from './expr.ts';
import {
  LEVEL_IMPREDICATIVE_MAXIMUM,
  LEVEL_MAXIMUM,
  LEVEL_PARAMETER,
  LEVEL_SUCCESSOR,
  type Level,
  type LevelList,
} from './level.ts';

type Make<Made> = () => Made;

/** Recorded parts, each with the step that creates it again. */
class Recorded<Part> {
  /** Steps in an order in which parts precede those that contain them. */
  readonly #steps: Make<Part>[] = [];
  readonly #made: Part[] = [];
  readonly #makers = new Map<Part, Make<Part>>();

  /**
   * Returns a function that gives the part as `makeAll` creates it. For a new part, `record` records its own parts and
   * returns its step.
   */
  maker(part: Part, record: (part: Part) => Make<Part>): Make<Part> {
    let maker = this.#makers.get(part);
    if (maker === undefined) {
      const at = this.#steps.push(record(part)) - 1;
      maker = () => this.#made[at]!;
      this.#makers.set(part, maker);
    }
    return maker;
  }

  makeAll(): void {
    for (const step of this.#steps) this.#made.push(step());
  }
}

/** Records terms and their levels. Both share parts, so each part is recorded and created once. */
class Recorder {
  readonly #terms: Terms;
  readonly #exprs = new Recorded<Expr>();
  readonly #levels = new Recorded<Level>();

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  makeAll(): void {
    this.#levels.makeAll();
    this.#exprs.makeAll();
  }

  readonly expr = (expr: Expr): Make<Expr> =>
    this.#terms.isPermanent(expr) ? () => expr : this.#exprs.maker(expr, this.#recordExpr);

  readonly #recordExpr = (expr: Expr): Make<Expr> => {
    const terms = this.#terms;
    switch (terms.kind(expr)) {
      case SORT: {
        const level = this.#level(terms.level(expr));
        return () => terms.sort(level());
      }
      case CONSTANT: {
        const name = terms.name(expr);
        const list = this.#levelList(terms.levelList(expr));
        return () => terms.constant(name, list());
      }
      case APPLICATION: {
        const [fn, argument] = [this.expr(terms.fn(expr)), this.expr(terms.argument(expr))];
        return () => terms.application(fn(), argument());
      }
      case LAMBDA: {
        const [type, body] = [this.expr(terms.binderType(expr)), this.expr(terms.body(expr))];
        return () => terms.lambda(type(), body());
      }
      case FORALL: {
        const [type, body] = [this.expr(terms.binderType(expr)), this.expr(terms.body(expr))];
        return () => terms.forall(type(), body());
      }
      case LET: {
        const [type, value, body] = [
          this.expr(terms.binderType(expr)),
          this.expr(terms.letValue(expr)),
          this.expr(terms.letBody(expr)),
        ];
        return () => terms.let(type(), value(), body());
      }
      case PROJECTION: {
        const [name, index, value] = [terms.name(expr), terms.fieldIndex(expr), this.expr(terms.projected(expr))];
        return () => terms.projection(name, index, value());
      }
      case NATURAL: {
        const value = terms.naturalValue(expr);
        return () => terms.natural(value);
      }
      case STRING: {
        const value = terms.stringValue(expr);
        return () => terms.string(value);
      }
      default: {
        const index = terms.number(expr);
        return () => terms.bound(index);
      }
    }
  };

  #levelList(list: LevelList): Make<LevelList> {
    const { levels } = this.#terms;
    if (levels.isPermanentList(list)) return () => list;
    const parts = levels.array(list).map(this.#level);
    return () => levels.list(parts.map((part) => part()));
  }

  readonly #level = (level: Level): Make<Level> =>
    this.#terms.levels.isPermanent(level) ? () => level : this.#levels.maker(level, this.#recordLevel);

  readonly #recordLevel = (level: Level): Make<Level> => {
    const { levels } = this.#terms;
    switch (levels.kind(level)) {
      case LEVEL_SUCCESSOR: {
        const below = this.#level(levels.left(level));
        return () => levels.successor(below());
      }
      case LEVEL_MAXIMUM:
      case LEVEL_IMPREDICATIVE_MAXIMUM: {
        const [left, right] = [this.#level(levels.left(level)), this.#level(levels.right(level))];
        return levels.kind(level) === LEVEL_MAXIMUM
          ? () => levels.maximum(left(), right())
          : () => levels.impredicativeMaximum(left(), right());
      }
      case LEVEL_PARAMETER: {
        const name = levels.name(level);
        return () => levels.parameter(name);
      }
      default:
        return () => levels.zero;
    }
  };
}

/**
 * Returns a function that creates the terms again, to be called after `dropScratch`. The terms must not contain local
 * variables.
 */
export function noteDown(terms: Terms, kept: readonly Expr[]): Make<Expr[]> {
  const recorder = new Recorder(terms);
  const makers = kept.map(recorder.expr);
  return () => {
    recorder.makeAll();
    return makers.map((make) => make());
  };
}
