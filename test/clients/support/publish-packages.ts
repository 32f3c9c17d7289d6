import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { run } from '../../../hack/control-plane/run.ts';
import packageJson from '../../../package.json' with { type: 'json' };

/** Publishes the npm packages with the script of the release workflow. Resolves to what the script prints. */
export async function publishPackages(release: string, registry: string): Promise<string> {
  const { jobs } = parse(readFileSync('.github/workflows/release.yaml', 'utf8'));
  const steps: readonly { readonly run?: string }[] = jobs.publish.steps;
  const script = steps.map((step) => step.run ?? '').find((text) => text.includes('npm publish')) ?? '';
  const folder = dirname(release);
  const userconfig = join(folder, 'npmrc');
  writeFileSync(userconfig, `${registry.replace('http:', '')}:_authToken=any\n`);
  const variables = { VERSION: packageJson.version, npm_config_registry: registry, npm_config_userconfig: userconfig };
  return await run('bash', ['-e', '-c', script.replace(/^npm install --global .*/, '')], {
    cwd: folder,
    env: { ...process.env, ...variables },
  });
}
