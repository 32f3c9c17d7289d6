/** A shell and the small commands, as one static program: enough for the Jobs of tests, and for what keeps a Pod open. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { thisPlatform } from '../../hack/control-plane/versions.ts';
import { type ImageArchive, imageArchive } from '../../hack/image/image-archive.ts';
import type { Entry } from '../../hack/image/ustar.ts';

export interface BusyboxOptions {
  /** `name:tag`. */
  readonly name: string;
  /** What runs when the Pod names no command. Default a shell. */
  readonly command?: readonly string[];
  /** A busybox that is linked statically. Default the one of Debian's busybox-static. */
  readonly busybox?: string;
}

/** The image; its user is root, as that of other busybox images, until the Pod says otherwise. */
export async function busyboxImage({ name, command, busybox = '/bin/busybox' }: BusyboxOptions): Promise<ImageArchive> {
  const applets = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).trim().split('\n');
  const links = applets
    .filter((applet) => applet !== 'busybox')
    .map((applet): Entry => ({ kind: 'link', path: `bin/${applet}`, target: 'busybox' }));
  return imageArchive({
    name,
    architecture: thisPlatform().arch,
    config: { Env: ['PATH=/bin'], Cmd: command ?? ['sh'] },
    layers: [
      [
        { kind: 'file', path: 'bin/busybox', content: readFileSync(busybox), mode: 0o755 },
        ...links,
        { kind: 'file', path: 'etc/passwd', content: Buffer.from('root:x:0:0:root:/:/bin/sh\n') },
        { kind: 'folder', path: 'tmp', mode: 0o1777 },
      ],
    ],
  });
}
