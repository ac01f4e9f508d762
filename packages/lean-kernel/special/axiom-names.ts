/** The standard axioms by their printed names. */
export const STANDARD_AXIOMS: readonly string[] = ['propext', 'Quot.sound', 'Classical.choice'];
