/**
 * The scripts of the release workflow that publish. Programs with the names of npm and gh record their arguments. test/clients runs the
 * script for npm with npm and a registry.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { run } from '../../hack/control-plane/run.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

interface Step {
  readonly name?: string;
  readonly run?: string;
}

const PROJECT = join(import.meta.dirname, '../..');
const { jobs } = parse(readFileSync(join(PROJECT, '.github/workflows/release.yaml'), 'utf8'));
const steps: readonly Step[] = jobs.publish.steps;
const findStep = (name: string) => steps.findIndex((step) => step.name?.startsWith(name));

/** `npm view` prints nothing, as for a missing version, and `gh release view` fails for a missing release. */
const PROGRAM = `#!/bin/bash
name=$(basename "$0")
case "$name $1 $2" in
  'npm view '*) ;;
  'gh release view') [[ " $PUBLISHED " == *" $3 "* ]] ;;
  *) echo "$name $*" >>calls ;;
esac
`;

/** Runs the script of a step. Resolves to the calls that change a registry or the repository. */
async function runStep(step: string, version: string, published: readonly string[] = []): Promise<readonly string[]> {
  const folder = createTemporaryFolder();
  for (const name of ['bin', 'release']) mkdirSync(join(folder, name));
  for (const name of ['npm', 'gh']) writeFileSync(join(folder, 'bin', name), PROGRAM, { mode: 0o755 });
  for (const name of ['calls', 'release/install.yaml']) writeFileSync(join(folder, name), '');
  const variables = { VERSION: version, GITHUB_REF_NAME: `v${version}`, GITHUB_REPOSITORY: 'team/operator' };
  const PATH = `${join(folder, 'bin')}:${process.env['PATH']}`;
  const script = steps[findStep(step)]?.run ?? expect.fail(`no step ${step}`);
  await run('bash', ['-e', '-c', script], { cwd: folder, env: { ...variables, PATH, PUBLISHED: published.join(' ') } });
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n');
  return calls.filter((call) => call !== '' && !call.startsWith('npm install '));
}

const NAMES = [
  'kubernetes-cron-schedule',
  'controller-runtime',
  'cronjob-operator-api',
  'create-controller-runtime',
  'kubectl-tcj',
];
const FLAGS = '--repo team/operator --verify-tag --notes-file release/release-notes.md';

test.each([
  ['1.2.0', 'latest'],
  ['1.2.0-rc.1', 'next'],
])('the packages of version %s get the tag %s', async (version, tag) => {
  expect(await runStep('Publish the npm packages', version)).toEqual(
    NAMES.map((name) => `npm publish ./release/${name}-${version}.tgz --access public --tag ${tag}`),
  );
});

test.each([
  ['1.2.0', `${FLAGS} release/install.yaml`],
  ['1.2.0-rc.1', `${FLAGS} --prerelease release/install.yaml`],
])('version %s becomes a release with the flags %s', async (version, flags) => {
  expect(await runStep('Publish the release', version)).toEqual([`gh release create v${version} ${flags}`]);
});

test('a repeated run keeps the release, which comes after the packages', async () => {
  expect(await runStep('Publish the release', '1.2.0', ['v1.2.0'])).toEqual([]);
  expect(findStep('Publish the npm packages')).toBeLessThan(findStep('Publish the release'));
});
