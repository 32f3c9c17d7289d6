/** These values also go to the tests of test/conformance/node. */
import '../../support/provided.ts';
import type { SiteFacts } from './facts.ts';
import type { MachineState } from './machine-state.ts';

declare module 'vitest' {
  interface ProvidedContext {
    site: SiteFacts;
    /** Only on a real node and on kwok: path of the API server's audit log, a JSON event per line. */
    auditLog: string;
    /** Only on a real node: a program with arguments that runs the command after them in the node's namespaces. */
    enterNode: readonly string[];
    /** Only on a real node: the state of the machine before any node started. */
    machineBefore: MachineState;
  }
}
