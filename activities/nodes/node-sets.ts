/** What activities are told of the machines of a run in a cloud. */

import type { NodesConfig } from '@stp/config';

export interface NodesInput {
  readonly run: string;
  readonly nodes: NodesConfig;
}

export interface NodeSetInput extends NodesInput {
  readonly generation: number;
}

/** By the server's clock, ms since 1970. */
export interface Until {
  readonly untilMs: number;
}
