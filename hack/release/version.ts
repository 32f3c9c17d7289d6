/**
 * The places that contain the version of a release. `make set-version VERSION=<version>` sets the version everywhere, except in the
 * changelogs:
 *
 *   node hack/release/version.ts <version>
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runScript } from '../control-plane/run-script.ts';

/** Semantic Versioning 2.0.0, without build metadata, which tags of images cannot contain. */
const SEMVER_PATTERN = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

const WORKSPACES = 'create-controller-runtime|kubectl-tcj|runtime|schedule';
/** Globs of files, and patterns that match the version after its context. Each file contains the version at least once. */
const PLACES: readonly (readonly [glob: string, pattern: RegExp])[] = [
  [`{.,api,${WORKSPACES.replaceAll('|', ',')}}/package.json`, /(?<=^ {2}"version": ")[^"]+/gm],
  ['package-lock.json', /(?<=^ {2}"version": ")[^"]+/gm],
  [
    'package-lock.json',
    new RegExp(`(?<=^ {4}"(?:|${WORKSPACES})": \\{\\n {6}"name": ".*",\\n {6}"version": ")[^"]+`, 'gm'),
  ],
  ['charts/cronjob-operator/Chart.yaml', /(?<=^(?:version|appVersion): )\S+/gm],
  ['config/manager/manager.yaml', /(?<=image: cronjob-operator:)\S+/g],
  ['Dockerfile', /(?<=org\.opencontainers\.image\.version=")[^"]+/g],
  ['{README.md,hack/image/README.md}', /(?<=>\/cronjob-operator:)\S+/g],
  [
    '{api,create-controller-runtime/template}/package.json',
    /(?<="(?:controller-runtime|kubernetes-cron-schedule)": "\^)[^"]+/g,
  ],
  ['create-controller-runtime/README.md', /(?<=Default `\^)[^`]+/g],
  ['{CONTRIBUTING,RELEASING}.md', /(?<=make release VERSION=)\d[^\s`]*/g],
];

/** The version in the name of a tarball of `make packages`. */
const TARBALL_PATTERN = /(?<=(?:controller-runtime|kubernetes-cron-schedule)-)\d\S*?(?=\.tgz)/g;
/** Globs of files that need not contain the version, and patterns. */
const OPTIONAL_PLACES: typeof PLACES = [
  [`{api,${WORKSPACES.replaceAll('|', ',')}}/{,docs/}*.md`, TARBALL_PATTERN],
  ['docs/book/{*.md,steps/*/Dockerfile}', TARBALL_PATTERN],
];

/** Throws if the text is not a version of Semantic Versioning, such as `1.2.3` or `1.2.3-rc.1`. */
export function checkSemver(version: string): void {
  if (!SEMVER_PATTERN.test(version))
    throw new Error(`"${version}" is not a valid version: set VERSION to a version such as 1.2.3 or 1.2.3-rc.1`);
}

/** Returns the files of the project that contain another version, or lack a version. */
export function findOtherVersions(project: string, version: string): readonly string[] {
  const findVersions = ({ file, pattern }: Place) => readFileSync(join(project, file), 'utf8').match(pattern) ?? [];
  const hasOther = (place: Place) => findVersions(place).some((found) => found !== version);
  const places = listPlaces(project, PLACES).filter((place) => hasOther(place) || findVersions(place).length === 0);
  const optionalPlaces = listPlaces(project, OPTIONAL_PLACES).filter(hasOther);
  return [...new Set([...places, ...optionalPlaces].map(({ file }) => file))];
}

export function setVersion(project: string, version: string): void {
  for (const { file, pattern } of listPlaces(project, [...PLACES, ...OPTIONAL_PLACES])) {
    const path = join(project, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(pattern, version));
  }
}

interface Place {
  /** Path of the file, relative to the project. */
  readonly file: string;
  readonly pattern: RegExp;
}

function listPlaces(project: string, places: typeof PLACES): readonly Place[] {
  return places.flatMap(([glob, pattern]) => globSync(glob, { cwd: project }).map((file) => ({ file, pattern })));
}

if (import.meta.main) {
  await runScript(async () => {
    const [version = ''] = process.argv.slice(2);
    checkSemver(version);
    setVersion(join(import.meta.dirname, '../..'), version);
    console.log(`Next: write "## ${version}" above the changes in CHANGELOG.md and runtime/CHANGELOG.md, and commit`);
  });
}
