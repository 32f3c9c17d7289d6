import type { Executable } from '../../../hack/plugin/executable.ts';
import '../../envtest/support/provided.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** kubectl tcj for this machine. */
    executable: Executable;
    /** Path of its archive. */
    archive: string;
    /** Paths of other Nodes, by version. */
    nodes: Readonly<Record<string, string>>;
    /** Path of argo-lua. */
    argoLua: string;
    /** Path of a krew. */
    krew: string;
    /** Path of its validate-krew-manifest. */
    krewValidator: string;
  }
}
