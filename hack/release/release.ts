/**
 * `make release`: writes all files of a release.
 *
 *   node hack/release/release.ts --version=<version> --image=<name> --repository=<URL> [--plugins=<folder>] [--output=<folder>] [--dry-run]
 *
 * Requires dist/ of `make build`. cosign signs the checksums with the key in the environment variable
 * `COSIGN_KEY` (a path or a URI), whose password is in `COSIGN_PASSWORD`. The output folder, whose default is dist/release, is deleted first.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { run } from '../control-plane/run.ts';
import { runScript } from '../control-plane/run-script.ts';
import { buildRelease } from './build-release.ts';
import {
  checkAddresses,
  checkCommitted,
  checkOutput,
  checkPackagedPages,
  checkSigning,
  checkVersions,
} from './checks.ts';
import { checkSemver } from './version.ts';

const PROJECT = join(import.meta.dirname, '../..');

/** Addresses for a dry run. The domain is reserved for examples. */
const EXAMPLE_IMAGE = 'registry.example/cronjob-operator';
const EXAMPLE_REPOSITORY = 'https://example.com/cronjob-operator';

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      version: { type: 'string', default: '' },
      image: { type: 'string', default: '' },
      repository: { type: 'string', default: '' },
      plugins: { type: 'string', default: '' },
      output: { type: 'string', default: '' },
      'dry-run': { type: 'boolean', default: false },
    },
  });
  const { version, plugins, 'dry-run': isDryRun } = values;
  const image = values.image || (isDryRun ? EXAMPLE_IMAGE : '');
  const repository = values.repository || (isDryRun ? EXAMPLE_REPOSITORY : '');
  checkAddresses({ image, repository });
  checkSemver(version);
  checkVersions(PROJECT, version);
  if (!isDryRun) {
    checkPackagedPages(PROJECT);
    await checkCommitted(PROJECT);
  }
  const key = await checkSigning(process.env, process.cwd());
  if (values.output) checkOutput(values.output);
  const output = values.output || join(PROJECT, 'dist/release');
  await rm(output, { recursive: true, force: true });
  await buildRelease({
    version,
    image,
    repository,
    plugins: plugins === '' ? undefined : plugins,
    output,
    time: await getCommitTime(),
    acceptsUnreleased: isDryRun,
  });
  await sign(output, key);
  console.log(`${relative('.', output) || '.'}: the files of ${isDryRun ? 'a dry run of ' : ''}release ${version}`);
});

/** The time in archives, as in other reproducible builds: reproducible-builds.org/specs/source-date-epoch. */
async function getCommitTime(): Promise<Date> {
  const seconds =
    process.env['SOURCE_DATE_EPOCH'] ?? (await run('git', ['log', '--max-count=1', '--format=%ct'], { cwd: PROJECT }));
  return new Date(Number(seconds) * 1000);
}

async function sign(folder: string, key: string | undefined): Promise<void> {
  if (key === undefined) {
    console.log('The release is not signed, because COSIGN_KEY is not set.');
    return;
  }
  const work = await mkdtemp(join(tmpdir(), 'signing-'));
  try {
    // By default, cosign writes to the public transparency log. An empty configuration names no services.
    const config = join(work, 'signing-config.json');
    await run('cosign', ['signing-config', 'create', '--out', config]);
    const flags = ['--yes', '--key', key, '--signing-config', config, '--bundle', 'SHA256SUMS.sigstore.json'];
    await run('cosign', ['sign-blob', ...flags, 'SHA256SUMS'], { cwd: folder });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
