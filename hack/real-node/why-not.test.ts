import { expect, test } from 'vitest';
import { type Machine, whyNot } from './why-not.ts';

const CONTROLLERS = ['cpu', 'cpuacct', 'cpuset', 'memory', 'pids', 'devices', 'freezer', 'blkio', 'name=systemd'];

/** One on which a node runs, but for what is said. */
function machine(different: Partial<Machine> = {}): Machine {
  return {
    platform: 'linux',
    userId: 0,
    hasAptGet: true,
    missingPackages: [],
    hierarchies: CONTROLLERS.map((controller) => ({ controllers: [controller], folder: '/sys/fs/cgroup' })),
    tryNamespaces: async () => undefined,
    ...different,
  };
}

test('nothing speaks against a machine that has it all', async () => {
  await expect(whyNot(machine())).resolves.toBeUndefined();
});

test('nothing speaks against one on which the packages can be installed', async () => {
  await expect(whyNot(machine({ missingPackages: ['containerd'] }))).resolves.toBeUndefined();
});

test.each<[string, Partial<Machine>, string | RegExp]>([
  ['another system', { platform: 'darwin' }, 'a kubelet needs Linux, this is darwin'],
  ['another user', { userId: 1000 }, /^a kubelet needs root/],
  [
    'no way to install what is missing',
    { missingPackages: ['containerd', 'nftables'], hasAptGet: false },
    'containerd, nftables must be installed, and there is no apt-get to do it with',
  ],
  [
    'control groups of version 2',
    { hierarchies: [] },
    /^control groups of version 1 are needed, and cpu, .+ use kind\)$/,
  ],
  [
    'one controller less',
    { hierarchies: [{ controllers: CONTROLLERS.filter((name) => name !== 'pids'), folder: '/' }] },
    /version 1 are needed, and pids are not mounted/,
  ],
  [
    'a sandbox that forbids namespaces',
    {
      tryNamespaces: async () => {
        throw new Error('unshare --mount: ended with 1\nunshare: unshare failed: Operation not permitted');
      },
    },
    'this machine does not let root make the namespaces of a node: unshare: unshare failed: Operation not permitted',
  ],
])('with %s it says so in one line', async (_, different, want) => {
  const reason = await whyNot(machine(different));
  expect(reason).toMatch(want);
  expect(reason).not.toContain('\n');
});

test('the trial waits for the programs that it needs', async () => {
  const tryNamespaces = async () => {
    throw new Error('no unshare');
  };
  await expect(whyNot(machine({ missingPackages: ['util-linux'], tryNamespaces }))).resolves.toBeUndefined();
});
