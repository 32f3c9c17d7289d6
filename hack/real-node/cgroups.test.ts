import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { createCgroups, hierarchies, removeCgroups } from './cgroups.ts';

const MOUNTS = `
22 1 0:20 / /proc rw,relatime - proc proc rw
30 29 0:26 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct
31 29 0:27 /slice/of:ours /sys/fs/cgroup/memory rw,nosuid shared:10 - cgroup cgroup rw,memory
32 29 0:28 / /sys/fs/cgroup/systemd rw,nosuid - cgroup cgroup rw,xattr,name=systemd
33 29 0:29 / /sys/fs/cgroup/unified rw,nosuid - cgroup2 cgroup2 rw
`;

test('finds the group of this process in each hierarchy of version 1', () => {
  const membership = '4:cpu,cpuacct:/user\n3:memory:/slice/of:ours/deeper\n2:name=systemd:/\n1:pids:/\n0::/user\n';
  expect(hierarchies(membership, MOUNTS)).toEqual([
    { controllers: ['cpu', 'cpuacct'], folder: '/sys/fs/cgroup/cpu,cpuacct/user' },
    { controllers: ['memory'], folder: '/sys/fs/cgroup/memory/deeper' },
    { controllers: ['name=systemd'], folder: '/sys/fs/cgroup/systemd' },
  ]);
});

test('version 2 alone is no hierarchy', () => {
  expect(hierarchies('0::/user.slice\n', '33 29 0:29 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n')).toEqual([]);
});

function parent(name: string) {
  const folder = join(temporaryFolder(), name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'cpuset.cpus'), '0-1\n');
  writeFileSync(join(folder, 'cpuset.mems'), '0\n');
  return { controllers: [name], folder };
}

test('a new group of cpuset has the processors and the memory of its parent', () => {
  const [group = ''] = createCgroups('node', [parent('cpuset')]);
  expect(readFileSync(join(group, 'cpuset.cpus'), 'utf8')).toBe('0-1\n');
  expect(readFileSync(join(group, 'cpuset.mems'), 'utf8')).toBe('0\n');
});

test('makes the group in all hierarchies or in none', () => {
  const memory = parent('memory');
  const pids = parent('pids');
  expect(createCgroups('node', [memory, pids])).toEqual([join(memory.folder, 'node'), join(pids.folder, 'node')]);
  mkdirSync(join(pids.folder, 'other'));
  expect(() => createCgroups('other', [memory, pids])).toThrow('make the control group other');
  expect(existsSync(join(memory.folder, 'other'))).toBe(false);
  expect(existsSync(join(pids.folder, 'other'))).toBe(true);
});

test('removes groups with those below them, and minds none that is gone', async () => {
  const [group = ''] = createCgroups('node', [parent('memory')]);
  mkdirSync(join(group, 'kubepods/pod'), { recursive: true });
  await removeCgroups([join(temporaryFolder(), 'gone'), group]);
  expect(existsSync(group)).toBe(false);
});
