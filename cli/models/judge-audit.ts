/** `bin/stp judge audit`: compares a judge with people's marks. */

import { printableLine, StpError } from '@stp/base';
import { readLines } from '@stp/base/files';
import { type Judgement, judgementSchema } from '@stp/config/records';
import { audit, type Compared, type SetAudit, scaleOf } from '@stp/judge';
import { type Item, readItems } from '@stp/judge/formats';
import { table } from '../shared/table.ts';

export interface JudgeAuditOptions {
  readonly gold: readonly string[];
  readonly judged?: string;
  readonly json?: boolean;
}

export async function judgeAudit({ gold, judged, json }: JudgeAuditOptions): Promise<void> {
  const items = (await Promise.all(gold.map(readItems))).flat().filter(({ human }) => human !== null);
  if (items.length === 0)
    throw new StpError(
      'STP1501',
      `${gold.join(', ')}: no proof has a human mark`,
      'docs/judges.md says how rows hold them.',
    );
  const judgements = judged === undefined ? null : await readJudgements(judged);
  const audits = audit(items.map((item) => compare(item, judgements)));
  if (json === true) for (const one of audits) console.log(JSON.stringify(one));
  else console.log(page(audits));
}

function compare(item: Item, judgements: ReadonlyMap<string, Judgement> | null): Compared {
  const { raw, scale } = item.human!;
  const common = { set: item.set, human: raw / scaleOf(scale).max };
  if (judgements === null) return { ...common, judged: item.automatic, allFull: item.automatic === 1 };
  const judgement = judgements.get(item.id);
  return { ...common, judged: judgement?.mark?.normalised ?? null, allFull: judgement?.allFull ?? false };
}

async function readJudgements(path: string): Promise<ReadonlyMap<string, Judgement>> {
  const judgements = new Map<string, Judgement>();
  for await (const { line, text } of readLines(path)) {
    const parsed = judgementSchema.safeParse(jsonOf(text));
    if (!parsed.success)
      throw new StpError('STP1501', `${path}, line ${line} is no judgement`, 'Give what `stp judge --json` printed.');
    judgements.set(parsed.data.id, parsed.data);
  }
  return judgements;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const GRADES = ['full', 'part', 'none'] as const;
const figure = (value: number | null): string => (value === null ? '–' : value.toFixed(3));
const share = (part: number, whole: number, value: number | null): string =>
  value === null ? '–' : `${part} of ${whole} (${(100 * value).toFixed(1)} %)`;

function page(audits: readonly SetAudit[]): string {
  const head = [
    'set',
    'proofs',
    'unjudged',
    'error',
    'rank corr.',
    'accepted',
    'of these not complete',
    'of those not complete, accepted',
  ];
  const rows = audits.map((one) => {
    const incomplete = GRADES.slice(1).reduce((sum, grade) => sum + rowSum(one, grade), 0);
    return [
      printableLine(one.set),
      String(one.proofs),
      String(one.unjudged),
      figure(one.meanAbsoluteError),
      figure(one.rankCorrelation),
      String(one.accepted),
      share(one.falselyAccepted, one.accepted, one.falseShareOfAccepted),
      share(one.falselyAccepted, incomplete, one.falseAcceptRate),
    ];
  });
  const last = audits.at(-1)!;
  const confusion = GRADES.map((human) => [
    `  by people ${human}`,
    ...GRADES.map((by) => String(last.confusion[human][by])),
  ]);
  return [
    table([head, ...rows]),
    '',
    'error: mean distance of marks, as a share of full marks; accepted: all votes full.',
    '',
    table([[`${printableLine(last.set)}, marks`, ...GRADES.map((by) => `judge ${by}`)], ...confusion]),
  ].join('\n');
}

const rowSum = ({ confusion }: SetAudit, human: (typeof GRADES)[number]): number =>
  GRADES.reduce((sum, by) => sum + confusion[human][by], 0);
