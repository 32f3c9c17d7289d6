import { run } from '../../../hack/control-plane/run.ts';
import packageJson from '../../../package.json' with { type: 'json' };

/** Builds a release into a new folder, also from files that are not committed. */
export async function buildDryRun(output: string, umask = '022'): Promise<void> {
  const command = ['make', 'release', `VERSION=${packageJson.version}`, 'DRY_RUN=1', `OUTPUT=${output}`];
  await run('sh', ['-c', `umask ${umask}; exec "$@"`, 'build', ...command]);
}
