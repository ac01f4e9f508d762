/** The placeholder for the hash of the weights, in the name that a server gives a checkpoint. */
export const MODEL_PLACEHOLDER = '{model}';
