import { run } from '../control-plane/run.ts';

/** Packs a folder with package.json into a tarball in `output`. */
export async function npmPack(packageFolder: string, output: string): Promise<void> {
  // The tarball contains the permissions, which the umask of the user would otherwise change.
  await run('chmod', ['-R', 'u=rwX,go=rX', packageFolder]);
  await run('npm', ['pack', packageFolder, '--pack-destination', output]);
}
