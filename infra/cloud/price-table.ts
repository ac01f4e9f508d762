/**
 * Hourly prices of machines, by date, from `prices.json` and, with precedence, from the file in STP_PRICES of the same
 * form. The repository's prices are Google's published on-demand ones in US regions, rounded to cents; other regions
 * cost more, contracts less.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeIssues, StpError } from '@stp/base';
import { z } from 'zod';

const priceSchema = z.strictObject({
  /** A family of TPU chips (`v4`), or a machine type (`a2-highgpu-8g`). */
  kind: z.string().min(1).max(64),
  /** USD for one chip or machine. */
  usdPerHour: z.number().nonnegative(),
  /** The first day of the price. */
  from: z.iso.date(),
  /** `spot`: price of preemptible machines. Without one they cost `spotShare` of the on-demand price. */
  tier: z.enum(['onDemand', 'spot']).default('onDemand'),
  source: z.string().max(512).default(''),
});

const tableSchema = z.strictObject({
  /** Upper bound of spot prices as a share of on-demand ones: the discount is at least 60 % and changes daily. */
  spotShare: z.number().positive().max(1).optional(),
  prices: z.array(priceSchema).max(10_000),
});
type Table = z.infer<typeof tableSchema>;

export interface ListPrice {
  readonly usdPerHour: number;
  readonly from: string;
  /** Less than 1: an upper bound derived from the on-demand price. */
  readonly share: number;
  readonly isOwn: boolean;
}

const PUBLISHED = join(import.meta.dirname, 'prices.json');

/** Returns the price of a chip or a machine on a day; null if no table has a price that has begun by then. */
export function listPrice(kind: string, tier: 'onDemand' | 'spot', day: Date): ListPrice | null {
  const own = process.env.STP_PRICES ? readTable(process.env.STP_PRICES) : null;
  const published = readTable(PUBLISHED);
  const spotShare = own?.spotShare ?? published.spotShare ?? 1;
  const date = day.toISOString().slice(0, 10);
  for (const table of own === null ? [published] : [own, published]) {
    const known = table.prices
      .filter((price) => price.kind === kind && price.from <= date)
      .sort((a, b) => (a.from < b.from ? 1 : -1));
    const exact = known.find((price) => price.tier === tier);
    const { usdPerHour, from } = exact ?? known[0] ?? {};
    if (usdPerHour === undefined || from === undefined) continue;
    const share = tier === 'spot' && exact === undefined ? spotShare : 1;
    return { usdPerHour: usdPerHour * share, from, share, isOwn: table === own };
  }
  return null;
}

function readTable(path: string): Table {
  try {
    return tableSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    const problem = cause instanceof z.ZodError ? describeIssues(cause) : (cause as Error).message;
    throw new StpError(
      'STP1001',
      `the prices of ${path} cannot be read: ${problem}`,
      'Write it like infra/cloud/prices.json, and name it in STP_PRICES.',
      { cause },
    );
  }
}
