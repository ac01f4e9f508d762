/**
 * Decides when pass@k must not be reported, by STP's rule (docs/algorithm.md, section 10), for logs and for our own evaluations.
 */

/** From this share of samples without a verdict on, a split has no result (STP's summary.py). */
const UNVERIFIED_SHARE_MAX = 0.01;

/**
 * Returns why the samples support no estimate, or null.
 *
 * @param unverified number of samples without a verdict, including missing ones
 * @param missing number of those that have no record at all
 */
export function refusal(counts: {
  readonly statements: number;
  readonly samplesPerStatement: number;
  readonly unverified: number;
  readonly missing: number;
}): string | null {
  const { statements, samplesPerStatement, unverified, missing } = counts;
  if (statements === 0) return 'there are no statements';
  const wanted = statements * samplesPerStatement;
  if (unverified <= UNVERIFIED_SHARE_MAX * wanted) return null;
  const share = `${((100 * unverified) / wanted).toFixed(1)} %`;
  return (
    `${unverified} of ${wanted} samples (${share}) have no verdict` +
    `${missing === 0 ? '' : `, ${missing} of them no record at all`}; at most ${100 * UNVERIFIED_SHARE_MAX} % may`
  );
}
