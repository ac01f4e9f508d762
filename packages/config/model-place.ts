/** In the name that a server gives a checkpoint, stands for the hash of its weights. */
export const MODEL_PLACE = '{model}';
