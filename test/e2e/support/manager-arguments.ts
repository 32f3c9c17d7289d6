/** Arguments for a container, made to fit a process of this machine. */
import { type BindAddress, formatBindAddress, parseFlags } from 'controller-runtime';
import { MANAGER } from '../../../cmd/flags.ts';

export interface ProcessSurroundings {
  /** Path: there is no ServiceAccount where containers find theirs. */
  readonly kubeconfig: string;
  /** That of the Pod, which containers find there too. */
  readonly namespace: string;
  /** For each port of the container one of 127.0.0.1: Pods have addresses of their own, processes share one. */
  readonly ports: ReadonlyMap<number, number>;
}

/** Ports that a manager with these arguments listens on. None when it refuses the arguments. */
export function portsOf(args: readonly string[]): readonly number[] {
  const parsed = parseFlags(MANAGER, args);
  if (parsed.kind !== 'run') return [];
  const { healthProbeBindAddress, metricsBindAddress, webhookPort } = parsed.flags;
  const addresses = [healthProbeBindAddress, metricsBindAddress];
  return [webhookPort, ...addresses.flatMap((address) => (address.kind === 'listen' ? [address.port] : []))];
}

/**
 * All that was asked for stays, and what is off stays off. Arguments that the manager refuses are left as they are: it says
 * best what is wrong with them. Throws when a port has no counterpart.
 */
export function processArguments(args: readonly string[], surroundings: ProcessSurroundings): readonly string[] {
  const parsed = parseFlags(MANAGER, args);
  if (parsed.kind !== 'run') return args;
  const { flags } = parsed;
  const { kubeconfig, namespace, ports } = surroundings;
  const port = (ofContainer: number): number => {
    const ours = ports.get(ofContainer);
    if (ours === undefined) throw new Error(`port ${ofContainer} of the container has none on this machine`);
    return ours;
  };
  const bind = (address: BindAddress): string =>
    formatBindAddress(
      address.kind === 'off' ? address : { kind: 'listen', host: '127.0.0.1', port: port(address.port) },
    );
  return [
    ...args, // of a flag that is repeated the last one counts
    `--kubeconfig=${kubeconfig}`,
    `--webhook-namespace=${flags.webhookNamespace ?? namespace}`,
    `--leader-election-namespace=${flags.leaderElectionNamespace ?? namespace}`,
    `--health-probe-bind-address=${bind(flags.healthProbeBindAddress)}`,
    `--metrics-bind-address=${bind(flags.metricsBindAddress)}`,
    `--webhook-port=${port(flags.webhookPort)}`,
  ];
}
