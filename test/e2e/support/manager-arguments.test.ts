import { parseFlags } from 'controller-runtime';
import { expect, test } from 'vitest';
import { MANAGER } from '../../../cmd/flags.ts';
import { portsOf, processArguments } from './manager-arguments.ts';

const OF_CONTAINER = [
  '--leader-elect',
  '--health-probe-bind-address=:8081',
  '--metrics-bind-address=:8443',
  '--webhook-cert-secret=webhook-server-cert',
];
const PORTS = new Map([
  [8081, 18_081],
  [8443, 18_443],
  [9443, 19_443],
  [9999, 19_999],
]);

function flagsOf(args: readonly string[]) {
  const surroundings = { kubeconfig: '/pod/kubeconfig', namespace: 'system', ports: PORTS };
  const parsed = parseFlags(MANAGER, processArguments(args, surroundings));
  if (parsed.kind !== 'run') throw new Error('refused');
  return parsed.flags;
}

test('servers listen where this machine has room for them', () => {
  expect(flagsOf(OF_CONTAINER)).toMatchObject({
    healthProbeBindAddress: { kind: 'listen', host: '127.0.0.1', port: 18_081 },
    metricsBindAddress: { kind: 'listen', host: '127.0.0.1', port: 18_443 },
    webhookPort: 19_443,
  });
  expect(flagsOf([...OF_CONTAINER, '--webhook-port', '9999'])).toMatchObject({ webhookPort: 19_999 });
});

test('what a container finds in its files is said in flags', () => {
  expect(flagsOf(OF_CONTAINER)).toMatchObject({
    kubeconfig: '/pod/kubeconfig',
    webhookNamespace: 'system',
    leaderElectionNamespace: 'system',
  });
});

test('what the container was told stays', () => {
  expect(flagsOf([...OF_CONTAINER, '--webhook-namespace=a', '--leader-election-namespace=b'])).toMatchObject({
    isLeaderElected: true,
    webhookCertSecret: 'webhook-server-cert',
    webhookNamespace: 'a',
    leaderElectionNamespace: 'b',
  });
});

test('what is off stays off', () => {
  expect(flagsOf(['--health-probe-bind-address=0'])).toMatchObject({
    isLeaderElected: false,
    healthProbeBindAddress: { kind: 'off' },
    metricsBindAddress: { kind: 'off' },
  });
});

test('the ports to find room for are those that are listened on', () => {
  expect(portsOf(OF_CONTAINER).toSorted()).toEqual([8081, 8443, 9443]);
  expect(portsOf(['--health-probe-bind-address=0']).toSorted()).toEqual([9443]);
});

test('arguments that the manager refuses are left to it', () => {
  const wrong = ['--leader-elect=perhaps'];
  expect(portsOf(wrong)).toEqual([]);
  expect(processArguments(wrong, { kubeconfig: '', namespace: '', ports: new Map() })).toEqual(wrong);
});

test('a port without room is an error', () => {
  const surroundings = { kubeconfig: '', namespace: '', ports: new Map([[9443, 1]]) };
  expect(() => processArguments(OF_CONTAINER, surroundings)).toThrow('port 8081 of the container');
});
