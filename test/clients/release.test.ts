/** A dry run of a release. The other tests of this folder install its packages from a registry, and kubectl tcj with krew. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { run } from '../../hack/control-plane/run.ts';
import { detectPlatform } from '../../hack/control-plane/versions.ts';
import { ARCHITECTURES } from '../../hack/image/download-runtime.ts';
import { computeFileHash } from '../../hack/release/checksums.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { helm } from '../envtest/support/chart.ts';
import { EmptyCluster } from '../envtest/support/installation.ts';
import { testKustomization } from '../envtest/support/kustomization.ts';
import { managerContainer, PROJECT } from '../support/manifests.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { buildDryRun } from './support/dry-run.ts';
import { publishPackages } from './support/publish-packages.ts';

const { version } = packageJson;
const IMAGE = `registry.example/cronjob-operator:${version}`;

const folder = inject('release');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

test('SHA256SUMS has the checksum of each file', async () => {
  const printed = await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder });
  const names = readdirSync(folder).filter((name) => name !== 'SHA256SUMS');
  expect(printed.trimEnd().split('\n').toSorted()).toEqual(names.map((name) => `${name}: OK`).toSorted());
});

test('a second build, with other permissions for new files, has the same bytes', async () => {
  const output = join(createTemporaryFolder(), 'release');
  await buildDryRun(output, '077');
  expect(readFileSync(join(output, 'SHA256SUMS'), 'utf8')).toBe(read('SHA256SUMS'));
});

test('the release notes are the newest section of the changelog', () => {
  const [, section = ''] = readFileSync(join(PROJECT, 'CHANGELOG.md'), 'utf8').split(/^## .*\n/m);
  const withoutLinks = (text: string) => text.replaceAll(/\]\([^)]*\)/g, '').trim();
  expect(withoutLinks(read('release-notes.md'))).toBe(withoutLinks(section));
});

test('npm publishes the packages with the links that provenance needs, and a second time nothing', async () => {
  const names = readdirSync(folder).flatMap((name) => /^(.*[a-z])-[\d.]+\.tgz$/.exec(name)?.[1] ?? []);
  expect(names).toHaveLength(6);
  for (const name of names.filter((each) => each !== 'cronjob-operator')) {
    const response = await fetch(`${inject('registry')}${name}`);
    const repository = { url: 'git+https://example.com/cronjob-operator.git' };
    expect(await response.json()).toMatchObject({
      access: 'public',
      'dist-tags': { latest: version },
      versions: { [version]: { repository } },
    });
  }
  expect(await publishPackages(folder, inject('registry'))).toBe('');
});

/** Unpacks an image. Resolves to the folder of its files, the paths of its libraries, and its descriptor and configuration. */
async function unpackImage(architecture: string) {
  const [layout, root] = [createTemporaryFolder(), createTemporaryFolder()];
  await run('tar', ['-xf', join(folder, `cronjob-operator-${version}-image-linux-${architecture}.tar`)], {
    cwd: layout,
  });
  const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  const getBlob = ({ digest }: { readonly digest: string }) => join(layout, 'blobs', digest.replace(':', '/'));
  const [descriptor] = readJson(join(layout, 'index.json')).manifests;
  const { config, layers } = readJson(getBlob(descriptor));
  for (const layer of layers) await run('tar', ['-xzf', getBlob(layer), '-C', root]);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return {
    root,
    libraries: files.filter((path) => /\.so\b/.test(path)),
    descriptor,
    config: readJson(getBlob(config)),
  };
}

test.each(ARCHITECTURES)(
  'the image for %s is an OCI image layout with the bundle of the SBOM, whose Node has all its libraries',
  async (architecture) => {
    const { root, libraries, descriptor, config } = await unpackImage(architecture);
    expect(descriptor).toMatchObject({
      platform: { architecture, os: 'linux' },
      annotations: { 'io.containerd.image.name': IMAGE },
    });
    const labels = { 'org.opencontainers.image.version': version };
    expect(config).toMatchObject({ architecture, config: { Labels: labels } });
    const names = libraries.map((path) => basename(path));
    const [{ content: hash }] = JSON.parse(read('cronjob-operator.sbom.cdx.json')).metadata.component.hashes;
    expect(computeFileHash(join(root, 'manager.mjs'))).toBe(hash);
    for (const program of ['nodejs/bin/node', ...libraries]) {
      const details = await run('readelf', ['--file-header', '--dynamic', join(root, program)]);
      expect(details).toContain({ amd64: 'Advanced Micro Devices X86-64', arm64: 'AArch64' }[architecture]);
      expect(names).toEqual(
        expect.arrayContaining([...details.matchAll(/\(NEEDED\) .*\[(.*)\]/g)].map(([, name]) => name)),
      );
    }
  },
);

test('the image for this machine runs the manager with the libraries of the image', async () => {
  const { root, libraries } = await unpackImage(detectPlatform().arch);
  const [loader = ''] = libraries.filter((path) => basename(path).startsWith('ld-linux'));
  const [libc = ''] = libraries.filter((path) => basename(path) === 'libc.so.6');
  const program = ['nodejs/bin/node', 'manager.mjs'].map((path) => join(root, path));
  const flags = ['--library-path', join(root, dirname(libc)), ...program, '--version'];
  expect(await run(join(root, loader), flags, { env: {} })).toContain(version);
});

describe('on an API server', () => {
  const cluster = new EmptyCluster();

  test('install.yaml installs the operator', async () => {
    const file = join(folder, 'install.yaml');
    await cluster.kubectl('apply', '--server-side', '-f', file);
    expect(await cluster.kubectl('get', 'deployments', '-A', '-o', 'jsonpath={..containers[0].image}')).toBe(IMAGE);
    await cluster.kubectl('delete', '--wait=false', '-f', file);
    await cluster.kubectl('wait', '--for=delete', 'crd', '--all', '--timeout=-1s');
  });

  test('helm installs the operator from index.yaml', async () => {
    const source = ['cronjob-operator', '--repo', inject('releaseUrl'), '--version', version];
    const target = ['--namespace', 'ops', '--create-namespace', '--kubeconfig', cluster.running.kubeconfig];
    await helm('install', 'nightly', ...source, ...target);
    const deployments = await cluster.kubectl('get', 'deployments', '-A', '-o', 'json');
    expect(JSON.parse(deployments).items).toHaveLength(1);
    expect(managerContainer(JSON.parse(deployments).items).image).toBe(IMAGE);
  });
});

describe('the files for kustomize', () => testKustomization(folder));

describe('the JSON schemas', () => {
  /** Runs the command of docs/install.md without the schemas of Kubernetes, which are on the internet. */
  const validate = (...files: readonly string[]) => {
    const [command = ''] = /^kubeconform .*(?= cronjob\.yaml$)/m.exec(readFileSync('docs/install.md', 'utf8')) ?? [];
    const script = `${command.replace('-schema-location default', '')} -summary "$@"`;
    const env = { PATH: dirname(inject('kubeconform')), release: inject('releaseUrl') };
    return run('/bin/sh', ['-c', script, 'sh', ...files], { env, cwd: PROJECT });
  };

  test('accept all samples', async () => {
    const printed = await validate('-ignore-filename-pattern=kustomization', 'config/samples');
    expect(printed).toMatch(/Valid: [2-9]\d, Invalid: 0, Errors: 0, Skipped: 0$/m);
  });

  test('find a misspelled field and a wrong type', async () => {
    const sample = readFileSync(join(PROJECT, 'config/samples/batch_v1_cronjob.yaml'), 'utf8');
    const file = join(createTemporaryFolder(), 'cronjob.yaml');
    writeFileSync(file, sample.replace('  schedule:', '  suspend: "no"\n  shedule:'));
    const output = await validate(file).catch((error: Error) => error.message);
    expect(output).toContain("additional properties 'shedule' not allowed");
    expect(output).toContain("'/spec/suspend': got string, want boolean");
  });
});
