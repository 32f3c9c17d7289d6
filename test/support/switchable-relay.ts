import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { TcpRelay } from './tcp-relay.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

/** The connection to the API server of a kubeconfig, which a test can close. @param path Path of the kubeconfig. */
export async function createSwitchableRelay(path: string) {
  const kubeconfig = parse(readFileSync(path, 'utf8'));
  const [{ cluster }] = kubeconfig.clusters;
  const server = new URL(cluster.server);
  const upstream = Number(server.port);
  let isShut = false;
  let refused = 0;
  const relay = await TcpRelay.to(async () => {
    if (isShut) refused++;
    return isShut ? undefined : upstream;
  });
  server.port = String(relay.port);
  cluster.server = server.href.replace(/\/$/, '');
  const file = join(createTemporaryFolder(), 'kubeconfig');
  writeFileSync(file, stringify(kubeconfig));
  return {
    kubeconfig: file,
    refused: () => refused,
    shut: async () => {
      isShut = true;
      await relay.cut();
    },
    open: () => {
      isShut = false;
    },
    [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose](),
  };
}
