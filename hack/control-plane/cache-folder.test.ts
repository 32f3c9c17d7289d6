import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cacheFolder } from './cache-folder.ts';

const PLATFORM = { os: 'linux', arch: 'arm64' };

test('lies in the user’s cache, apart for each version and platform', () => {
  const folder = cacheFolder({}, PLATFORM);
  expect(folder.startsWith(join(homedir(), '.cache', 'cronjob-operator', 'control-plane'))).toBe(true);
  expect(folder).toMatch(/kubernetes-[\d.]+-etcd-[\d.]+-kwok-[\d.]+-linux-arm64$/);
});

test('follows XDG_CACHE_HOME', () => {
  expect(cacheFolder({ XDG_CACHE_HOME: '/c' }, PLATFORM)).toMatch(/^\/c\/cronjob-operator\/control-plane\//);
});

test('is what CONTROL_PLANE_CACHE says', () => {
  expect(cacheFolder({ CONTROL_PLANE_CACHE: '/mine', XDG_CACHE_HOME: '/c' }, PLATFORM)).toBe('/mine');
});
