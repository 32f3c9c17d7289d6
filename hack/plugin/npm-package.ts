/** The plugin as an npm package: the bundle, so that it does not need other packages. */
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SCRIPTS } from '../../kubectl-tcj/plugin/completion/scripts.ts';
import { NODE_CHECK } from '../../kubectl-tcj/rolldown.config.ts';
import { run } from '../control-plane/run.ts';
import { LICENCES_FILE } from '../supply-chain/rolldown-plugin.ts';
import { bundlePlugin } from './bundle.ts';

const PROJECT = join(import.meta.dirname, '../..');
/**
 * Runs the bundle on a Node that is new enough. Node 12 and 14 cannot parse the bundle, so the check in the bundle does not reach their
 * users.
 */
const START_FILE = 'kubectl-tcj.mjs';
const BUNDLE_FILE = 'plugin.mjs';
/** The script that kubectl runs to complete `kubectl tcj`. */
const COMPLETION_FILE = 'kubectl_complete-tcj';

/**
 * Builds and packs the package. Resolves to the path of the tarball.
 *
 * @param output Folder for the tarball, and for `kubectl-tcj/`, its content.
 */
export async function packPlugin(output: string): Promise<string> {
  const { name, version, description, keywords, license, type, engines } = JSON.parse(
    await readFile(join(PROJECT, 'kubectl-tcj/package.json'), 'utf8'),
  );
  const bin = { [name]: START_FILE, [COMPLETION_FILE]: COMPLETION_FILE };
  const files = [START_FILE, BUNDLE_FILE, COMPLETION_FILE, LICENCES_FILE]; // npm adds LICENSE and README.md
  const manifest = { name, version, description, keywords, license, type, bin, files, engines };
  const packageFolder = join(output, name);
  await rm(packageFolder, { recursive: true, force: true });
  await mkdir(packageFolder, { recursive: true });
  await bundlePlugin(join(packageFolder, BUNDLE_FILE));
  await writeFile(
    join(packageFolder, START_FILE),
    `#!/usr/bin/env node\n${NODE_CHECK}\nimport('./${BUNDLE_FILE}');\n`,
    {
      mode: 0o755,
    },
  );
  await writeFile(join(packageFolder, COMPLETION_FILE), SCRIPTS.kubectl, { mode: 0o755 });
  await writeFile(join(packageFolder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await writeFile(
    join(packageFolder, 'README.md'),
    removeLinks(await readFile(join(PROJECT, 'docs/kubectl-tcj.md'), 'utf8')),
  );
  await copyFile(join(PROJECT, 'LICENSE'), join(packageFolder, 'LICENSE'));
  await run('npm', ['pack', packageFolder, '--pack-destination', output]);
  return join(output, `${name}-${version}.tgz`);
}

/** The package does not contain other pages of the project. */
function removeLinks(page: string): string {
  return page.replace(/\[([^\]]+)\]\((?!https?:)[^)]+\)/g, '$1');
}
