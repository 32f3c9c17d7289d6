/** Where provisioned binaries stay between runs, outside every clone. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ETCD_VERSION, KUBERNETES_VERSION, KWOK_VERSION, type Platform } from './versions.ts';

/** Names another folder for the binaries. The folder is used as it is, without versions in the path. */
const CACHE_FOLDER_VARIABLE = 'CONTROL_PLANE_CACHE';

/** The folder for these versions on this platform. Other versions get another folder, so its content never goes stale. */
export function getCacheFolder(env: NodeJS.ProcessEnv, platform: Platform): string {
  const folder = env[CACHE_FOLDER_VARIABLE];
  if (folder) return resolve(folder);
  const versions = `kubernetes-${KUBERNETES_VERSION}-etcd-${ETCD_VERSION}-kwok-${KWOK_VERSION}`;
  const caches = env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return resolve(caches, 'cronjob-operator', 'control-plane', `${versions}-${platform.os}-${platform.arch}`);
}
