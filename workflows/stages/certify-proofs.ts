/** Certificates for the proofs of a stage: cut into parts, certified by all nodes with Lean, put together. */

import { partFolder } from '@stp/config/workflow';
import type { CertifyInput } from '../../activities/lean/certify.ts';
import type { Certified } from '../../activities/round/certified.ts';
import { lean, streaming } from '../control/activity-proxies.ts';
import { allPieces, piecesAtOnce } from '../nodes/lean-nodes.ts';

export async function certifyProofs(input: CertifyInput): Promise<Certified> {
  const { run, name, proved, library, config } = input;
  const partsWanted = await piecesAtOnce();
  const parts = await streaming('cut proofs into parts').cutProofs({ run, name, proved, partsWanted });
  const certify = (part: (typeof parts)[number], index: number): Promise<Certified> =>
    lean(`certify ${part.count} proofs, part ${index + 1} of ${parts.length}`, parts.length).certify({
      run,
      name: partFolder(name, 'certify', index),
      proved: part,
      library,
      config,
    });
  const certified = await allPieces(() => parts.map(certify));
  return streaming('put certificates together').joinCertified({ run, name, certified });
}
