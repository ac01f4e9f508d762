/** How a workflow and its activities name the place where these hear that they are to end (`workflows/stand-down.ts`). */

/** Id of the workflow whose end means that the shards of that workflow are to end. */
export const standDownWorkflowId = (workflowId: string): string => `${workflowId}/stand-down`;
