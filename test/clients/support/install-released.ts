import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { run } from '../../../hack/control-plane/run.ts';

/** Environment of npm with the registry that has the packages of the release. */
export function createNpmEnv(): NodeJS.ProcessEnv {
  return { npm_config_registry: inject('registry'), npm_config_prefer_offline: 'true', npm_config_yes: 'true' };
}

/** Runs `npm install` for packages such as `name@1.2.3` in an empty folder. */
export async function installReleased(home: string, ...packages: readonly string[]): Promise<void> {
  writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true }));
  const env = { ...process.env, ...createNpmEnv() };
  await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: home, env });
}
