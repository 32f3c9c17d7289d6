import '../../envtest/support/provided.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder with the files of a release, which `make release` built. */
    release: string;
    /** URL of these files. */
    releaseUrl: string;
    /** URL of an npm registry, to which their packages are published. */
    registry: string;
    /** Path of the archive of kubectl tcj for this machine. */
    archive: string;
    /** Path of the executable in the archive. */
    executable: string;
    /** Path of helm. */
    helm: string;
    /** Paths of other Nodes, by version. */
    nodes: Readonly<Record<string, string>>;
    /** Path of argo-lua. */
    argoLua: string;
    /** Path of a krew. */
    krew: string;
    /** Path of its validate-krew-manifest. */
    krewValidator: string;
    /** Path of kubeconform. */
    kubeconform: string;
  }
}
