import { KubeConfig } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { FakeClock } from '../clock/fake-clock.ts';
import { KubeConfigCredentials } from './credentials.ts';

/** A kubeconfig whose user is authenticated by `plugin`. */
function kubeConfig(plugin: () => Promise<void>): KubeConfig {
  const config = new KubeConfig();
  config.loadFromClusterAndUser({ name: 'c', server: 'https://127.0.0.1:6443', skipTLSVerify: false }, { name: 'u' });
  return Object.assign(config, { applyToHTTPSOptions: plugin });
}

test('an exec plugin that does not answer fails after thirty seconds, and is asked again', async () => {
  const clock = new FakeClock();
  let asked = 0;
  const plugin = () => (++asked === 1 ? new Promise<void>(() => {}) : Promise.resolve());
  const credentials = new KubeConfigCredentials(() => kubeConfig(plugin), clock);
  const refused = expect(credentials.current()).rejects.toThrow(/^kubeconfig: no credentials within 30 s; check/);
  await clock.advance(30_000);
  await refused;
  expect(await credentials.current()).toMatchObject({ server: new URL('https://127.0.0.1:6443') });
  expect([asked, clock.pendingTimers]).toEqual([2, 0]);
});

test('those who ask while the plugin is asked share its answer, which holds for ten seconds', async () => {
  const clock = new FakeClock();
  let asked = 0;
  const plugin = async () => void asked++;
  const credentials = new KubeConfigCredentials(() => kubeConfig(plugin), clock);
  await Promise.all([credentials.current(), credentials.current()]);
  await clock.advance(9_999);
  await credentials.current();
  expect(asked).toBe(1);
  await clock.advance(1);
  await credentials.current();
  expect(asked).toBe(2);
});
