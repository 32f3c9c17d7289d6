/** Packs the bundle of the plugin as an npm package without dependencies. */
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SCRIPTS } from '../../kubectl-tcj/plugin/completion/scripts.ts';
import { NODE_VERSION_CHECK } from '../../kubectl-tcj/rolldown.config.ts';
import { npmPack } from '../packages/npm-pack.ts';
import { createLinks } from '../packages/published-manifest.ts';
import { LICENCES_FILE } from '../supply-chain/rolldown-plugin.ts';
import { bundlePlugin } from './bundle.ts';

const PROJECT = join(import.meta.dirname, '../..');
/** This file checks the version of Node before it imports the bundle, because Node 12 and 14 cannot parse the bundle and its own check. */
const START_FILE = 'kubectl-tcj.mjs';
const BUNDLE_FILE = 'plugin.mjs';
/** The script that kubectl runs to complete `kubectl tcj`. */
const COMPLETION_FILE = 'kubectl_complete-tcj';

/**
 * Resolves to the path of the tarball.
 *
 * @param output Folder for the tarball, and for its content in `kubectl-tcj/`.
 * @param homepage URL of the project. Default: the package has no links.
 */
export async function packPlugin(output: string, homepage?: string): Promise<string> {
  const { name, version, description, keywords, license, type, engines } = JSON.parse(
    await readFile(join(PROJECT, 'kubectl-tcj/package.json'), 'utf8'),
  );
  const bin = { [name]: START_FILE, [COMPLETION_FILE]: COMPLETION_FILE };
  const files = [START_FILE, BUNDLE_FILE, COMPLETION_FILE, LICENCES_FILE]; // npm adds LICENSE and README.md
  const links = createLinks({ homepage, folder: 'kubectl-tcj' });
  const manifest = { name, version, description, keywords, license, ...links, type, bin, files, engines };
  const packageFolder = join(output, name);
  await rm(packageFolder, { recursive: true, force: true });
  await mkdir(packageFolder, { recursive: true });
  await bundlePlugin(join(packageFolder, BUNDLE_FILE));
  await writeFile(
    join(packageFolder, START_FILE),
    `#!/usr/bin/env node\n${NODE_VERSION_CHECK}\nimport('./${BUNDLE_FILE}');\n`,
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
  await npmPack(packageFolder, output);
  return join(output, `${name}-${version}.tgz`);
}

/** Removes relative links, because the package does not contain the linked pages. */
function removeLinks(page: string): string {
  return page.replace(/\[([^\]]+)\]\((?!https?:)[^)]+\)/g, '$1');
}
