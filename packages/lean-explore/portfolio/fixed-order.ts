/**
 * The fixed order of actions, which is the same for all statements and is used before anything has been learned. It was
 * written by hand from a recording of all actions (docs/log.md): for each beginning the strongest end comes early,
 * since similar ends prove little more.
 */

/** Beginnings that mostly fail at once, so they come early. Few ends are worth their time. */
export const RARE_BEGINNINGS: ReadonlySet<string> = new Set([
  'rare constructor',
  'cases of a negation',
  'cases of each direction',
]);

/** The parts of an action that determine its order. */
interface Kind {
  readonly begins: string;
  readonly ends: string;
  readonly names: string;
  /** Index of its premise among the offered ones; infinite without a premise. */
  readonly rank: number;
}

/** Numbers of premises that are tried first, and that are tried before the rest. */
const [FIRST_PREMISES, NEXT_PREMISES] = [4, 10];

/** Tiers in order. An action belongs to the first tier that accepts it. */
const TIERS: readonly ((kind: Kind) => boolean)[] = [
  ({ begins, ends, names }) => begins === 'nothing' && (ends === 'rfl' || (ends === 'split' && names !== 'premise')),
  ({ begins, ends }) => (begins.startsWith('cases') || begins === 'two cases') && ends === 'rfl',
  ({ rank, ends }) => rank === 0 && ends === 'rule',
  ({ begins, ends, names }) => begins !== 'nothing' && ends === 'simp_all' && names === 'functions',
  ({ begins, ends, names }) => begins !== 'nothing' && ends === 'simp_all' && names === 'nothing',
  ({ begins }) => RARE_BEGINNINGS.has(begins),
  ({ ends }) => ends.startsWith('transfer'),
  ({ rank, ends }) => rank < FIRST_PREMISES && ends === 'apply',
  ({ begins, ends }) => begins !== 'nothing' && ends === 'split',
  ({ begins, ends }) => begins === 'nothing' && (ends === 'grind' || ends === 'unfold' || ends === 'omega'),
  ({ rank }) => rank < FIRST_PREMISES,
  ({ begins, names }) => begins === 'nothing' && names !== 'premise',
  ({ begins, names }) => begins !== 'nothing' && (names === 'functions' || names === 'nothing'),
  ({ rank }) => rank < NEXT_PREMISES,
  ({ begins }) => begins !== 'nothing',
];

/** Sorts actions by tier. Stable: actions of a tier keep their order. */
export function inFixedOrder<Action extends { readonly parts: readonly string[] }>(
  actions: readonly Action[],
): Action[] {
  const tiered = actions.map((action) => ({ action, tier: tierOf(action.parts) }));
  return tiered.sort((one, other) => one.tier - other.tier).map(({ action }) => action);
}

function tierOf(parts: readonly string[]): number {
  const value = (name: string): string | undefined =>
    parts.find((part) => part.startsWith(`${name}:`))?.slice(name.length + 1);
  const kind = {
    begins: value('begins') ?? '',
    ends: value('ends') ?? '',
    names: value('names') ?? '',
    rank: Number(value('rank') ?? Number.POSITIVE_INFINITY),
  };
  const tier = TIERS.findIndex((takes) => takes(kind));
  return tier < 0 ? TIERS.length : tier;
}
