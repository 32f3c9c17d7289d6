/** Checks before `make release` builds anything. Each function throws a sentence that says what to change. */
import { run } from '../control-plane/run.ts';
import { findOtherVersions } from './version.ts';

export function checkAddresses({ image, repository }: { readonly image: string; readonly repository: string }): void {
  if (!/^[^/]+[.:][^/]*\/[^:@]+$/.test(image))
    throw new Error(`IMAGE is "${image}": set it to the name of the image, with its registry and without a tag`);
  if (!/^https:\/\/.*[^/]$/.test(repository))
    throw new Error(
      `REPOSITORY is "${repository}": set it to the https URL of the project, without a slash at its end`,
    );
}

/** @param project Folder of the project. */
export function checkVersions(project: string, version: string): void {
  const files = findOtherVersions(project, version);
  if (files.length === 0) return;
  throw new Error(
    `these files do not have version ${version}: run "make set-version VERSION=${version}" and commit\n  ${files.join('\n  ')}`,
  );
}

/** @param project Folder of the project. */
export async function checkCommitted(project: string): Promise<void> {
  const changes = await run('git', ['status', '--porcelain'], { cwd: project });
  if (changes !== '') throw new Error(`commit these changes, or set DRY_RUN=1\n${changes.trimEnd()}`);
}

/** Checks the variables with which cosign signs, and that cosign is installed. */
export async function checkSigning(env: NodeJS.ProcessEnv): Promise<void> {
  if (!env['COSIGN_KEY']) return;
  if (env['COSIGN_PASSWORD'] === undefined)
    throw new Error('COSIGN_KEY is set without COSIGN_PASSWORD: set it to the password of the key, or to nothing');
  const { PATH } = env;
  await run('cosign', ['version'], { env: { PATH } }).catch(() => {
    throw new Error('cannot run cosign: install cosign, or unset COSIGN_KEY for a release without a signature');
  });
}
