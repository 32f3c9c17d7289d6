/** A shell and the small commands, as one static program: enough for the Jobs of tests, and for what keeps a Pod open. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { thisPlatform } from '../../hack/control-plane/versions.ts';
import { type ImageArchive, imageArchive } from '../../hack/image/image-archive.ts';
import type { Entry } from '../../hack/image/ustar.ts';

/** That of Debian's busybox-static. */
const BUSYBOX = '/bin/busybox';

/**
 * The image; its user is root, as that of other busybox images, until the Pod says otherwise.
 *
 * @param name `name:tag`.
 * @param command What runs when the Pod names no command.
 */
export async function busyboxImage(name: string, command: readonly string[] = ['sh']): Promise<ImageArchive> {
  const applets = execFileSync(BUSYBOX, ['--list'], { encoding: 'utf8' }).trim().split('\n');
  const links = applets
    .filter((applet) => applet !== 'busybox')
    .map((applet): Entry => ({ kind: 'link', path: `bin/${applet}`, target: 'busybox' }));
  return imageArchive({
    name,
    architecture: thisPlatform().arch,
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
