/** `verify_proof`: gives the verdict on one proof, like `bin/stp verify`. */
import { HEADER_CHARS_MAX, PROOF_CHARS_MAX, STATEMENT_CHARS_MAX } from '@stp/config/records';
import { z } from 'zod';
import { judgementOf, judgementOutput } from '../proof-output.ts';
import { namedLimit, timeoutSeconds, tool } from '../tool.ts';

/** The default header. Agents work on other people's projects, which do not import this repository's library. */
const HEADER = 'import Init';

export const statementInput = {
  header: z
    .string()
    .max(HEADER_CHARS_MAX)
    .default(HEADER)
    .describe('imports, opens and definitions above the statement; by default Lean’s own Init'),
  statement: z.string().min(1).max(STATEMENT_CHARS_MAX).describe('`theorem NAME BINDERS : TYPE`, without `:=`'),
};

export const verifyProof = tool({
  name: 'verify_proof',
  title: 'Verify a proof',
  description:
    'Judges a proof of a statement: screened, compiled in a sandbox, its compiled object compared with the statement and checked by a second kernel. `proved` holds whatever the proof’s text tries.',
  input: {
    ...statementInput,
    proof: z.string().max(PROOF_CHARS_MAX).describe('the tactic block that follows `:= by`'),
    certificate: z.boolean().default(false).describe('give the certificate of a proof too, as text'),
    timeout_seconds: timeoutSeconds,
  },
  output: {
    ...judgementOutput,
    certificate: z.string().optional().describe('a file for `stp certificate check` and `explain_certificate`'),
  },
  limitSeconds: namedLimit(300),
  async run({ header, statement, proof, certificate: isAsked }, { certificates, withLean }, call) {
    const texts = { header, statement, proof };
    const [result] = await withLean(call, async ({ verifier }) => {
      call.tell('Lean is trying the proof');
      return verifier.check([{ id: 'proof', ...texts }], { signal: call.signal });
    });
    const { judgement, certificate } = judgementOf(texts, result!, certificates);
    return { ...judgement, ...(isAsked && certificate !== null ? { certificate } : {}) };
  },
});
