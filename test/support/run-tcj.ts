/** `kubectl tcj` at an API server in memory. */
import { type Clock, LiveClient, SystemClock } from 'controller-runtime';
import type { FakeApiServer } from 'controller-runtime/testing';
import type { ClusterSession } from '../../kubectl-tcj/plugin/cluster-session.ts';
import type { Terminal } from '../../kubectl-tcj/plugin/command.ts';
import { runCommand } from '../../kubectl-tcj/plugin/run-command.ts';

interface TcjOptions {
  readonly terminal: Terminal;
  /** Clock of the command and of its requests. Default: the machine's clock. */
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/** Runs it with these arguments, in the namespace `default`. @returns the exit code. */
export async function runTcj(server: FakeApiServer, args: readonly string[], options: TcjOptions): Promise<number> {
  const { terminal, clock = new SystemClock(), signal = new AbortController().signal } = options;
  return await runCommand(args, {
    terminal,
    clock,
    signal,
    now: clock.now(),
    connect: () => createSession(server, clock),
  });
}

function createSession(server: FakeApiServer, clock: Clock): ClusterSession {
  const transport = server.connect({ clock });
  return {
    client: new LiveClient(transport, { fieldManager: 'kubectl-tcj' }),
    transport,
    namespace: 'default',
    context: 'fake',
    server: server.url.origin,
    close: () => transport.close(),
  };
}
