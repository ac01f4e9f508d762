/** Sets of machines, as inputs of activities. */

import type { NodesConfig } from '@stp/config';

export interface NodesInput {
  readonly run: string;
  readonly nodes: NodesConfig;
}

export interface NodeSetInput extends NodesInput {
  readonly generation: number;
}

/** A time by the server's clock, ms since 1970. */
export interface Until {
  readonly untilMs: number;
}
