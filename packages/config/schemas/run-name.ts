/** Names of runs and evaluations. A name is a folder, a part of a workflow id, and a label of machines. */
export const isRunName = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text);
