/**
 * Reverse-mode automatic differentiation: adds to a graph the nodes that compute the gradient of a scalar by chosen
 * values. This file applies the chain rule; the operators' rules are in the files beside it.
 */
import type { GraphNode, Value } from '../graph.ts';
import { sum } from '../operations/arithmetic.ts';
import { graphError, sameShape, shapeText } from '../shape.ts';
import { ARITHMETIC_RULES } from './arithmetic.ts';
import { LAYOUT_RULES } from './layout.ts';
import { LINEAR_RULES } from './linear.ts';
import type { GradientRule } from './rule.ts';
import { TRANSFORMER_RULES } from './transformer.ts';

const RULES: Readonly<Record<string, GradientRule>> = {
  ...ARITHMETIC_RULES,
  ...LAYOUT_RULES,
  ...LINEAR_RULES,
  ...TRANSFORMER_RULES,
};

/**
 * Returns the gradients of the scalar `loss` by each of `parameters`, in order and shape. Throws STP1301 if an
 * operator has no rule.
 */
export function differentiate(loss: Value, parameters: readonly Value[]): Value[] {
  const { graph } = loss;
  if (loss.shape.length > 0) throw graphError(`the loss has shape ${shapeText(loss.shape)}, it must be a scalar`);
  const forward = [...graph.nodes];
  const dependent = dependentValues(forward, parameters);
  const parts = new Map<Value, Value[]>([[loss, [graph.scalar(1)]]]);
  const total = (value: Value): Value | undefined => {
    const collected = parts.get(value);
    return collected && sum(collected);
  };
  for (const node of forward.reverse()) {
    const output = node.outputs[0]!;
    const outputGradient = dependent.has(output) ? total(output) : undefined;
    if (outputGradient === undefined) continue;
    const rule = RULES[node.operator];
    if (rule === undefined) throw graphError(`operator ${node.operator} has no differentiation rule`);
    const wants = (index: number) => {
      const input = node.inputs[index];
      return input !== null && input !== undefined && dependent.has(input);
    };
    const gradients = rule({ graph, node, outputGradient, wants });
    node.inputs.forEach((input, index) => {
      const gradient = gradients[index];
      if (!input || !gradient || !wants(index)) return;
      if (!sameShape(gradient.shape, input.shape))
        throw graphError(
          `${node.operator}: gradient of shape ${shapeText(gradient.shape)} for input ${shapeText(input.shape)}`,
        );
      const collected = parts.get(input);
      if (collected) collected.push(gradient);
      else parts.set(input, [gradient]);
    });
  }
  return parameters.map((parameter) => {
    const gradient = total(parameter);
    if (gradient === undefined) throw graphError(`the loss does not depend on ${parameter.name}`);
    return gradient;
  });
}

/** Returns the parameters and everything computed from them: gradients are needed only there. */
function dependentValues(nodes: readonly GraphNode[], parameters: readonly Value[]): Set<Value> {
  const dependent = new Set(parameters);
  for (const node of nodes)
    if (node.inputs.some((input) => input !== null && dependent.has(input)))
      for (const output of node.outputs) dependent.add(output);
  return dependent;
}
