/** Kubeconfigs of another user: the kubeconfig of an administrator, who impersonates the user. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

/**
 * Path of a kubeconfig that sends each request as `user`. The API server adds the groups of ServiceAccounts.
 * @param folder Default: one that is deleted with the test.
 */
export function writeKubeconfigAs(
  user: string,
  administrators: string,
  folder: string = createTemporaryFolder(),
): string {
  const kubeconfig = parse(readFileSync(administrators, 'utf8'));
  for (const each of kubeconfig.users) each.user.as = user;
  const file = join(folder, `kubeconfig-${user.replaceAll(':', '-')}`);
  writeFileSync(file, stringify(kubeconfig));
  return file;
}
