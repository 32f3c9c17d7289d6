/** Also what the tests of test/conformance/node are given. */
import '../../support/provided.ts';
import type { SiteFacts } from './facts.ts';
import type { MachineState } from './machine-state.ts';

declare module 'vitest' {
  interface ProvidedContext {
    site: SiteFacts;
    /** Only of a real node and of kwok: path of the API server's audit log, a JSON event per line. */
    auditLog: string;
    /** Only of a real node: a program with arguments that runs the command behind them in the node's namespaces. */
    enterNode: readonly string[];
    /** Only of a real node: the machine before any node started. */
    machineBefore: MachineState;
  }
}
