/**
 * Certificates of a rehearsal: an authority, Temporal's server, its clients. Valid since yesterday, as clocks differ.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

export interface Certificates {
  readonly authority: string;
  readonly server: { readonly certificate: string; readonly key: string };
  readonly client: { readonly certificate: string; readonly key: string };
}

/** Makes the certificates below `folder`, and returns their paths. */
export async function makeCertificates(
  folder: string,
  serverName: string,
  serverAddress: string,
): Promise<Certificates> {
  const at = (name: string): string => join(folder, name);
  // faketime sets the beginning, for which this version of openssl has no option.
  const openssl = (...words: string[]) => execa('faketime', ['-f', '-1d', 'openssl', ...words]);
  const authority = { certificate: at('authority.pem'), key: at('authority.key') };
  const subject = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  await openssl(
    'req',
    '-x509',
    ...subject,
    '-keyout',
    authority.key,
    '-out',
    authority.certificate,
    '-days',
    '7',
    '-subj',
    '/CN=rehearsal authority',
  );
  const signed = async (name: string, extensions: string) => {
    const [certificate, key, request] = [at(`${name}.pem`), at(`${name}.key`), at(`${name}.csr`)];
    await openssl('req', '-new', ...subject, '-keyout', key, '-out', request, '-subj', `/CN=${name}`);
    await writeFile(at(`${name}.ext`), extensions);
    await openssl(
      'x509',
      '-req',
      '-in',
      request,
      '-CA',
      authority.certificate,
      '-CAkey',
      authority.key,
      '-CAcreateserial',
      '-out',
      certificate,
      '-days',
      '6',
      '-extfile',
      at(`${name}.ext`),
    );
    return { certificate, key };
  };
  const both = 'extendedKeyUsage=serverAuth,clientAuth\n';
  const server = await signed('temporal', `subjectAltName=DNS:${serverName},IP:${serverAddress}\n${both}`);
  const client = await signed('worker', 'extendedKeyUsage=clientAuth\n');
  return { authority: authority.certificate, server, client };
}

/** Returns the lines that must be in no log: those of the private keys. */
export async function secretLines({ server, client }: Certificates): Promise<string[]> {
  const texts = await Promise.all([server.key, client.key].map((path) => readFile(path, 'utf8')));
  return texts.map((text) => text.split('\n')[1]!);
}
