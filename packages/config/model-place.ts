/** The placeholder, in the name that a server gives a checkpoint, for the hash of its weights. */
export const MODEL_PLACE = '{model}';
