/** Elementwise comparisons with broadcasting, and selection by a condition. */
import type { Value } from '../graph.ts';
import { broadcastShapes } from '../shape.ts';

function comparison(operator: string, left: Value, right: Value): Value {
  const shape = broadcastShapes(left.shape, right.shape, operator);
  return left.graph.operation({ operator, inputs: [left, right] }, 'bool', shape);
}

export const equal = (left: Value, right: Value): Value => comparison('Equal', left, right);
export const atLeast = (left: Value, right: Value): Value => comparison('GreaterOrEqual', left, right);
export const and = (left: Value, right: Value): Value => comparison('And', left, right);

/** Elements of `whenTrue` where the condition is true, else of `whenFalse`. */
export function where(condition: Value, whenTrue: Value, whenFalse: Value): Value {
  const shape = broadcastShapes(broadcastShapes(condition.shape, whenTrue.shape, 'Where'), whenFalse.shape, 'Where');
  const inputs = [condition, whenTrue, whenFalse];
  return condition.graph.operation({ operator: 'Where', inputs }, whenTrue.type, shape);
}
