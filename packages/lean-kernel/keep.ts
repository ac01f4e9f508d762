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

/**
 * Returns a function that creates the terms again, to be called after `dropScratch`. The terms must not contain local
 * variables.
 */
export function noteDown(terms: Terms, kept: readonly Expr[]): Make<Expr[]> {
  const { levels } = terms;
  /** Steps in an order in which parts precede the terms that contain them. */
  const steps: Make<Expr>[] = [];
  const made: Expr[] = [];
  const makers = new Map<Expr, Make<Expr>>();

  const note = (expr: Expr): Make<Expr> => {
    if (terms.isPermanent(expr)) return () => expr;
    let maker = makers.get(expr);
    if (maker === undefined) {
      const step = compound(expr);
      const at = steps.push(step) - 1;
      maker = () => made[at]!;
      makers.set(expr, maker);
    }
    return maker;
  };

  const compound = (expr: Expr): Make<Expr> => {
    switch (terms.kind(expr)) {
      case SORT: {
        const level = noteLevel(terms.level(expr));
        return () => terms.sort(level());
      }
      case CONSTANT: {
        const name = terms.name(expr);
        const list = noteLevels(terms.levelList(expr));
        return () => terms.constant(name, list());
      }
      case APPLICATION: {
        const [fn, argument] = [note(terms.fn(expr)), note(terms.argument(expr))];
        return () => terms.application(fn(), argument());
      }
      case LAMBDA: {
        const [type, body] = [note(terms.binderType(expr)), note(terms.body(expr))];
        return () => terms.lambda(type(), body());
      }
      case FORALL: {
        const [type, body] = [note(terms.binderType(expr)), note(terms.body(expr))];
        return () => terms.forall(type(), body());
      }
      case LET: {
        const [type, value, body] = [
          note(terms.binderType(expr)),
          note(terms.letValue(expr)),
          note(terms.letBody(expr)),
        ];
        return () => terms.let(type(), value(), body());
      }
      case PROJECTION: {
        const [name, index, value] = [terms.name(expr), terms.fieldIndex(expr), note(terms.projected(expr))];
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

  /** Levels share parts as terms do, so each is recorded and created once. */
  const levelSteps: Make<Level>[] = [];
  const madeLevels: Level[] = [];
  const levelMakers = new Map<Level, Make<Level>>();

  const noteLevels = (list: LevelList): Make<LevelList> => {
    if (levels.isPermanentList(list)) return () => list;
    const parts = levels.array(list).map(noteLevel);
    return () => levels.list(parts.map((part) => part()));
  };

  const noteLevel = (level: Level): Make<Level> => {
    if (levels.isPermanent(level)) return () => level;
    let maker = levelMakers.get(level);
    if (maker === undefined) {
      const step = compoundLevel(level);
      const at = levelSteps.push(step) - 1;
      maker = () => madeLevels[at]!;
      levelMakers.set(level, maker);
    }
    return maker;
  };

  const compoundLevel = (level: Level): Make<Level> => {
    switch (levels.kind(level)) {
      case LEVEL_SUCCESSOR: {
        const below = noteLevel(levels.left(level));
        return () => levels.successor(below());
      }
      case LEVEL_MAXIMUM:
      case LEVEL_IMPREDICATIVE_MAXIMUM: {
        const [left, right] = [noteLevel(levels.left(level)), noteLevel(levels.right(level))];
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

  const keptMakers = kept.map(note);
  return () => {
    for (const step of levelSteps) madeLevels.push(step());
    for (const step of steps) made.push(step());
    return keptMakers.map((maker) => maker());
  };
}
