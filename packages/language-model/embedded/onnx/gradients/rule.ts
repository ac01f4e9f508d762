/** The type of a differentiation rule, and helpers for all rules. */
import type { Graph, GraphNode, Value } from '../graph.ts';
import { reduceSum } from '../operations/arithmetic.ts';
import { reshape } from '../operations/layout.ts';
import { broadcastAxes, graphError } from '../shape.ts';

export interface RuleContext {
  readonly graph: Graph;
  readonly node: GraphNode;
  /** Gradient of the loss by the node's first output. The other outputs are not read in the forward pass. */
  readonly outputGradient: Value;
  /** Whether the gradient by this input is needed. */
  readonly wants: (inputIndex: number) => boolean;
}

/** Returns the gradients by the node's inputs, in order; null if not needed or if the input is not differentiable. */
export type GradientRule = (context: RuleContext) => readonly (Value | null)[];

/** Returns an input of the operator, which must exist. */
export function inputOf(node: GraphNode, index: number): Value {
  const input = node.inputs[index];
  if (!input) throw graphError(`${node.operator} has no input ${index}`);
  return input;
}

export function outputOf(node: GraphNode, index = 0): Value {
  return node.outputs[index]!;
}

/** Undoes broadcasting: sums a gradient over the axes along which `target` was repeated. */
export function reduceToShape(gradient: Value, target: Value): Value {
  const axes = broadcastAxes(target.shape, gradient.shape);
  if (axes.length === 0) return gradient;
  const missing = gradient.shape.length - target.shape.length;
  const kept = reduceSum(gradient, axes, true);
  return missing === 0 ? kept : reshape(kept, target.shape);
}

/** Returns an integer attribute of the node, or its default. */
export function integerAttribute(node: GraphNode, name: string, fallback: number): number {
  const value = node.attributes[name];
  return value !== undefined && 'int' in value ? value.int : fallback;
}

export function floatAttribute(node: GraphNode, name: string, fallback: number): number {
  const value = node.attributes[name];
  return value !== undefined && 'float' in value ? value.float : fallback;
}
