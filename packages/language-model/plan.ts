/** Estimates of memory, speed and cost. Loads no engine. */
export { embeddedTrainingMemory, machineGib, memoryProblem } from './plan/embedded.ts';
export { planGguf } from './plan/gguf.ts';
export { GPUS, type Gpu } from './plan/gpus.ts';
export { type Part, totalGib } from './plan/memory.ts';
export { type Figure, makePlan, type Plan, type PlanInput, whatWouldFit } from './plan/plan.ts';
