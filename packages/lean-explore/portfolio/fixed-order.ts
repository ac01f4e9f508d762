/**
 * The fixed order of actions, for all statements the same: what nobody has learned anything for is tried in it. It was written by hand, with
 * a recording of all actions at hand (docs/log.md): for each beginning the strongest end comes early, since ends that resemble it prove
 * little beside it.
 */

/** Which of an action's parts the order looks at. */
interface Kind {
  readonly begins: string;
  readonly ends: string;
  readonly names: string;
  /** Place of its premise among those offered; infinite without one. */
  readonly rank: number;
}

/** Premises that are the first to be tried, and those that are tried before the rest. */
const [FIRST_PREMISES, NEXT_PREMISES] = [4, 10];

/** Tiers in their order; an action is in the first that takes it. */
const TIERS: readonly ((kind: Kind) => boolean)[] = [
  ({ begins, ends, names }) => begins === 'nothing' && (ends === 'rfl' || (ends === 'split' && names !== 'premise')),
  ({ begins, ends }) => (begins.startsWith('cases') || begins === 'two cases') && ends === 'rfl',
  ({ begins, ends, names }) => begins !== 'nothing' && ends === 'simp_all' && names === 'functions',
  ({ begins, ends, names }) => begins !== 'nothing' && ends === 'simp_all' && names === 'nothing',
  ({ rank, ends }) => rank < FIRST_PREMISES && ends === 'apply',
  ({ begins, ends }) => begins !== 'nothing' && ends === 'split',
  ({ begins, ends }) => begins === 'nothing' && (ends === 'grind' || ends === 'unfold' || ends === 'omega'),
  ({ rank }) => rank < FIRST_PREMISES,
  ({ begins, names }) => begins === 'nothing' && names !== 'premise',
  ({ begins, names }) => begins !== 'nothing' && (names === 'functions' || names === 'nothing'),
  ({ rank }) => rank < NEXT_PREMISES,
  ({ begins }) => begins !== 'nothing',
];

/** Stable: actions of one tier keep their order. */
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
