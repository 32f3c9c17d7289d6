/** The folder in which all clones of the repository cache binaries. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ETCD_VERSION, KUBERNETES_VERSION, KWOK_VERSION, type Platform } from './versions.ts';

/** This environment variable overrides the whole path of the folder, which then contains no versions. */
const CACHE_FOLDER_VARIABLE = 'CONTROL_PLANE_CACHE';

/** Returns a path that contains the versions and the platform, so that new versions do not use old binaries. */
export function getCacheFolder(env: NodeJS.ProcessEnv, platform: Platform): string {
  const folder = env[CACHE_FOLDER_VARIABLE];
  if (folder) return resolve(folder);
  const versions = `kubernetes-${KUBERNETES_VERSION}-etcd-${ETCD_VERSION}-kwok-${KWOK_VERSION}`;
  const userCacheFolder = env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return resolve(userCacheFolder, 'cronjob-operator', 'control-plane', `${versions}-${platform.os}-${platform.arch}`);
}
