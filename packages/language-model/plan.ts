/** Estimates of memory, speed and cost. Loads no engine. */
export { embeddedTrainingMemory, machineGib, memoryProblem } from './embedded/training/training-memory.ts';
export { type Part, totalGib } from './memory-part.ts';
export { planGguf } from './plan/gguf.ts';
export { GPUS, type Gpu } from './plan/gpus.ts';
export { type Figure, makePlan, type Plan, type PlanInput, whatWouldFit } from './plan/plan.ts';
