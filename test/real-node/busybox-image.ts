/** A shell and the small commands, as one static program: enough for the Jobs of tests, and for the container that keeps a Pod open. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { detectPlatform } from '../../hack/control-plane/versions.ts';
import { createImageArchive, type ImageArchive } from '../../hack/image/image-archive.ts';
import type { TarEntry } from '../../hack/image/tar.ts';

/** The program of Debian's busybox-static. */
const BUSYBOX = '/bin/busybox';

/**
 * The image. Its user is root, as in other busybox images, unless the Pod sets another one.
 *
 * @param name `name:tag`.
 * @param command Command when the Pod does not set one.
 */
export async function busyboxImage(name: string, command: readonly string[] = ['sh']): Promise<ImageArchive> {
  const applets = execFileSync(BUSYBOX, ['--list'], { encoding: 'utf8' }).trim().split('\n');
  const links = applets
    .filter((applet) => applet !== 'busybox')
    .map((applet): TarEntry => ({ kind: 'link', path: `bin/${applet}`, target: 'busybox' }));
  return createImageArchive({
    name,
    architecture: detectPlatform().arch,
    config: { Env: ['PATH=/bin'], Cmd: command },
    layers: [
      [
        { kind: 'file', path: 'bin/busybox', content: readFileSync(BUSYBOX), mode: 0o755 },
        ...links,
        { kind: 'file', path: 'etc/passwd', content: Buffer.from('root:x:0:0:root:/:/bin/sh\n') },
        { kind: 'folder', path: 'tmp', mode: 0o1777 },
      ],
    ],
  });
}
