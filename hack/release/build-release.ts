import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { customResourceDefinition } from 'controller-runtime/manifests';
import { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import { Progress } from '../control-plane/progress.ts';
import { provision } from '../control-plane/provision.ts';
import { detectPlatform } from '../control-plane/versions.ts';
import { createCronJobCrdWithV2 } from '../crd/cronjob-crd.ts';
import { ARCHITECTURES } from '../image/download-runtime.ts';
import { createReleaseImage } from '../image/manager-image.ts';
import { renderManifests } from '../installer/manifests.ts';
import { packAll } from '../packages/pack.ts';
import { buildExecutableFiles } from '../plugin/build-executable.ts';
import { createKrewManifest, findArchives } from '../plugin/krew-manifest.ts';
import { LICENCES_FILE, SBOM_FILE } from '../supply-chain/rolldown-plugin.ts';
import { packChart } from './chart.ts';
import { createChecksums } from './checksums.ts';
import { createJsonSchemas } from './json-schemas.ts';
import { createReleaseNotes } from './notes.ts';

const PROJECT = join(import.meta.dirname, '../..');
const NAME = 'cronjob-operator';

export interface ReleaseOptions {
  readonly version: string;
  /** Name of the image, with its registry and without a tag. */
  readonly image: string;
  /** URL of the project. Its releases are at `<URL>/releases/download/v<version>`. */
  readonly repository: string;
  /** Folder with archives and SBOMs of kubectl tcj for other platforms. */
  readonly plugins: string | undefined;
  /** New folder for the files. */
  readonly output: string;
  /** The time in the chart. */
  readonly time: Date;
  /** Accepts a changelog whose newest section is not released. */
  readonly acceptsUnreleased: boolean;
}

/** Writes all files of a release into one folder, because the files of a release on a forge have no folders. */
export async function buildRelease(options: ReleaseOptions): Promise<void> {
  const { output } = options;
  const changelog = await readFile(join(PROJECT, 'CHANGELOG.md'), 'utf8');
  const notes = createReleaseNotes(changelog, options);
  await mkdir(output, { recursive: true });
  const work = await mkdtemp(join(tmpdir(), 'release-'));
  const build: Builder = { ...options, work };
  try {
    await runStep('images', () => buildImages(build));
    await runStep('npm packages', () => buildPackages(build));
    await runStep('kubectl tcj', () => buildPlugin(build));
    await runStep('install.yaml and Helm chart', () => buildInstallers(build));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  const texts = {
    'release-notes.md': notes,
    ...createJsonSchemas(createCronJobCrdWithV2()),
    ...createJsonSchemas(customResourceDefinition(CronJobRun)),
  };
  for (const [name, text] of Object.entries(texts)) await writeFile(join(output, name), text);
  await copyFiles(join(PROJECT, 'config/kustomize'), output, /./);
  await copyFile(join(PROJECT, 'dist', SBOM_FILE), join(output, `${NAME}.${SBOM_FILE}`));
  await copyFile(join(PROJECT, 'dist', LICENCES_FILE), join(output, LICENCES_FILE));
  await writeFile(join(output, 'SHA256SUMS'), createChecksums(output));
}

interface Builder extends ReleaseOptions {
  /** Folder for intermediate files. */
  readonly work: string;
}

async function runStep(name: string, work: () => Promise<void>): Promise<void> {
  const step = new Progress().step(name);
  await work();
  step.done();
}

async function buildImages({ version, image, output }: Builder): Promise<void> {
  await Promise.all(
    ARCHITECTURES.map(async (architecture) => {
      const { content } = await createReleaseImage(PROJECT, `${image}:${version}`, architecture);
      await writeFile(join(output, `${NAME}-${version}-image-linux-${architecture}.tar`), content);
    }),
  );
}

async function buildPackages({ repository, output, work }: Builder): Promise<void> {
  for (const tarball of await packAll(join(work, 'packages'), repository))
    await copyFile(tarball, join(output, basename(tarball)));
}

async function buildPlugin({ version, repository, plugins, output, work }: Builder): Promise<void> {
  if (plugins !== undefined) await copyFiles(plugins, output, /^kubectl-tcj-.*(\.tar\.gz|\.json)$/);
  const { os, arch } = detectPlatform();
  if (!(await readdir(output)).includes(`kubectl-tcj-${os}-${arch}.tar.gz`)) {
    const [, ...files] = await buildExecutableFiles(join(work, 'plugin'));
    for (const file of files) await copyFile(file, join(output, basename(file)));
  }
  const archives = findArchives(output, `${repository}/releases/download/v${version}`);
  await writeFile(join(output, 'tcj.yaml'), createKrewManifest({ version, homepage: repository, archives }));
}

async function buildInstallers({ version, image, output, work, time }: Builder): Promise<void> {
  const { kubectl, helm } = await provision(['kubectl', 'helm']);
  const overlay = join(PROJECT, 'config/default');
  await writeFile(
    join(output, 'install.yaml'),
    await renderManifests({ kubectl, overlay, image: `${image}:${version}` }),
  );
  await packChart({ helm, image, folder: join(work, 'chart'), time });
  await cp(join(work, 'chart/repository'), output, { recursive: true });
}

async function copyFiles(from: string, to: string, pattern: RegExp): Promise<void> {
  for (const name of await readdir(from)) if (pattern.test(name)) await copyFile(join(from, name), join(to, name));
}
