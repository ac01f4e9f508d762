/** `explain_certificate`: explains what a certificate says, and whether this machine confirms it. */
import { StpError } from '@stp/base';
import { CERTIFICATE_BYTES_MAX, type CertificateFile } from '@stp/config/records';
import { judgeCertificates, readCertificate } from '@stp/lean-verifier';
import { z } from 'zod';
import { namedLimit, timeoutSeconds, tool } from '../tool.ts';

const URI_CHARS_MAX = 200;
const SHOWN_CHARS_MAX = 1_000;

export const explainCertificate = tool({
  name: 'explain_certificate',
  title: 'Explain a certificate',
  description:
    'Says what a certificate claims and, unless check is false, judges its proof again on this machine and says what differs. Nothing in the certificate is believed.',
  input: {
    certificate: z.string().max(CERTIFICATE_BYTES_MAX).optional().describe('the text of a certificate'),
    uri: z.string().max(URI_CHARS_MAX).optional().describe('a resource of this server, instead of the text'),
    check: z.boolean().default(true).describe('judge the proof again'),
    timeout_seconds: timeoutSeconds,
  },
  output: {
    problem: z.string().nullable().describe('why it is no certificate; null if it is one'),
    explanation: z.array(z.string()).describe('what it says, in sentences'),
    verdict: z
      .enum(['confirmed', 'differs', 'refused', 'unchecked'])
      .nullable()
      .describe('of the second judgement; null if there was none'),
    differences: z.array(z.object({ field: z.string(), file: z.string(), here: z.string() })),
    message: z.string().describe('why the proof is not proved here'),
  },
  limitSeconds: namedLimit(300),
  async run({ certificate, uri, check }, { certificates, withLean }, call) {
    if ((certificate === undefined) === (uri === undefined))
      throw new StpError('STP1002', 'a certificate is given as text, or by its uri', 'Give one of the two.');
    const kept = uri === undefined ? null : certificates.get(uri);
    if (uri !== undefined && kept === null)
      throw new StpError('STP1002', `there is no certificate ${uri}`, 'List the resources; old ones are dropped.');
    const read = kept ?? readCertificate(certificate!);
    const none = { verdict: null, differences: [], message: '' };
    if ('problem' in read) return { problem: read.problem, explanation: [], ...none };
    const explanation = explain(read);
    if (!check) return { problem: null, explanation, ...none };
    const [found] = await withLean(call, ({ verifier }) => {
      call.tell('judging the proof again');
      return judgeCertificates([read], verifier, call.signal);
    });
    const { verdict, differences, message } = found!;
    const shown = (value: unknown): string => JSON.stringify(value).slice(0, SHOWN_CHARS_MAX);
    return {
      problem: null,
      explanation,
      verdict,
      message,
      differences: differences.map(({ field, file, here }) => ({ field, file: shown(file), here: shown(here) })),
    };
  },
});

function explain({ header, statement, axioms, claim, checks, leanVersion, sandbox }: CertificateFile): string[] {
  const by = (outcome: string): string[] =>
    checks.flatMap((one) => (one.outcome === outcome ? [`${one.by} ${one.version ?? ''}`.trim()] : []));
  const told = (what: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : [`${what} ${names.join(', ')}.`];
  return [
    `The certificate says that its proof proves ${statement}, under the header ${JSON.stringify(header)}.`,
    axioms.length === 0
      ? 'The proof rests on no axiom.'
      : `The proof rests on ${axioms.length} axioms: ${axioms.join(', ')}.`,
    `The claim is: ${claim}.`,
    `${leanVersion} compiled it ${sandbox.kind === 'none' ? 'without a sandbox' : `in ${sandbox.description}`}.`,
    ...told('Accepted by', by('accepted')),
    ...told('Declined by', by('declined')),
    ...told('Not installed there:', by('absent')),
    ...told('Refused by', [...by('refused'), ...by('failed')]),
  ];
}
