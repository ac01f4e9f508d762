/** Finds the proof in a model's answer, as LLMProofs does: after its thinking, after `<proof>`, or the whole answer. */

const THINKING_ENDS = '</think>';
const THINKING_BEGINS = '<think>';
const PROOF_BEGINS = '<proof>';
const PROOF_ENDS = '</proof>';

/** Returns an empty text if there is no proof, also if the thinking did not end. */
export function proofIn(answer: string): string {
  const thoughtEnd = answer.indexOf(THINKING_ENDS);
  if (thoughtEnd >= 0) return withoutProofMarks(answer.slice(thoughtEnd + THINKING_ENDS.length)).trim();
  if (answer.includes(THINKING_BEGINS)) return '';
  return withoutProofMarks(answer).trim();
}

function withoutProofMarks(text: string): string {
  const begin = text.indexOf(PROOF_BEGINS);
  const proof = begin < 0 ? text : text.slice(begin + PROOF_BEGINS.length);
  const end = proof.lastIndexOf(PROOF_ENDS);
  return end < 0 ? proof : proof.slice(0, end);
}
