/** States of the TPU API v2 by number (google/cloud/tpu/v2/cloud_tpu.proto); answers carry names or numbers. */

const QUEUED_RESOURCE_STATES = {
  0: 'STATE_UNSPECIFIED',
  1: 'CREATING',
  2: 'ACCEPTED',
  3: 'PROVISIONING',
  4: 'FAILED',
  5: 'DELETING',
  6: 'ACTIVE',
  7: 'SUSPENDING',
  8: 'SUSPENDED',
  9: 'WAITING_FOR_RESOURCES',
} as const;
export type QueuedResourceState = (typeof QUEUED_RESOURCE_STATES)[keyof typeof QUEUED_RESOURCE_STATES];

const NODE_STATES = {
  0: 'STATE_UNSPECIFIED',
  1: 'CREATING',
  2: 'READY',
  3: 'RESTARTING',
  4: 'REIMAGING',
  5: 'DELETING',
  6: 'REPAIRING',
  8: 'STOPPED',
  9: 'STOPPING',
  10: 'STARTING',
  11: 'PREEMPTED',
  12: 'TERMINATED',
  13: 'HIDING',
  14: 'HIDDEN',
  15: 'UNHIDING',
  16: 'UNKNOWN',
} as const;
export type NodeState = (typeof NODE_STATES)[keyof typeof NODE_STATES];

/** Returns the name of a state given as name or number; unknown states of later APIs are unspecified. */
export function queuedResourceState(value: unknown): QueuedResourceState {
  return named(QUEUED_RESOURCE_STATES, value);
}

export function nodeState(value: unknown): NodeState {
  return named(NODE_STATES, value);
}

function named<T extends string>(states: Readonly<Record<number, T>>, value: unknown): T {
  if (typeof value === 'number' && states[value] !== undefined) return states[value];
  return Object.values(states).find((name) => name === value) ?? states[0]!;
}
