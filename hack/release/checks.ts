/** Checks before `make release` builds anything. Each function throws a sentence that says what to change. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
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

/** Sentences that the first release makes wrong, and the heading of a version that is not released in a changelog. */
const UNRELEASED_PATTERN =
  /(?:not\s+(?:on\s+a|in\s+the\s+npm)\s+registry|has\s+no\s+release)\s+yet|when\s+the\s+packages\s+are\s+on\s+a\s+registry|^## .*\(unreleased\)$/im;
/** The pages in the tarballs of the npm packages. docs/kubectl-tcj.md is the README of kubectl-tcj. */
const PACKAGED_PAGES = [
  '{api,create-controller-runtime,runtime,schedule}/{,docs/}*.md',
  'create-controller-runtime/template/README.md',
  'docs/kubectl-tcj.md',
];

/** @param project Folder of the project. */
export function checkPackagedPages(project: string): void {
  const files = PACKAGED_PAGES.flatMap((pattern) => globSync(pattern, { cwd: project }).sort());
  const wrong = files.filter((file) => UNRELEASED_PATTERN.test(readFileSync(join(project, file), 'utf8')));
  if (wrong.length === 0) return;
  throw new Error(
    `these pages of npm packages say that the release is missing: correct them and commit, or set DRY_RUN=1\n  ${wrong.join('\n  ')}`,
  );
}

/** @param folder Folder that `make release` deletes. It may be absent. */
export function checkOutput(folder: string): void {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  if (names.length > 0 && !names.includes('SHA256SUMS'))
    throw new Error(`OUTPUT is "${folder}", whose files are not a release: set it to a new or an empty folder`);
}

/** A key that cosign does not read from a file, such as `awskms://…`, `env://…` or `pkcs11:…`. */
const KEY_URI_PATTERN = /^(?:[a-z][a-z0-9]*:\/\/|pkcs11:)/;

/**
 * Checks the variables with which cosign signs, and that cosign is installed. Resolves to the value of `cosign --key`: a URI or an absolute
 * path. Default: undefined, for a release without a signature.
 *
 * @param folder Folder to which a path in `COSIGN_KEY` is relative.
 */
export async function checkSigning(env: NodeJS.ProcessEnv, folder: string): Promise<string | undefined> {
  const { COSIGN_KEY: value, COSIGN_PASSWORD: password, PATH } = env;
  if (!value) return undefined;
  if (password === undefined)
    throw new Error('COSIGN_KEY is set without COSIGN_PASSWORD: set it to the password of the key, or to nothing');
  const isUri = KEY_URI_PATTERN.test(value);
  const key = isUri ? value : resolve(folder, value);
  if (!isUri && !existsSync(key))
    throw new Error(`COSIGN_KEY is "${value}", but ${key} does not exist: set it to the path or the URI of the key`);
  await run('cosign', ['version'], { env: { PATH } }).catch(() => {
    throw new Error('cannot run cosign: install cosign, or unset COSIGN_KEY for a release without a signature');
  });
  return key;
}
