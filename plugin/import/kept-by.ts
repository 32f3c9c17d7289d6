/** Who keeps an object as it is somewhere else, and would set back what the import changes. */

interface Kept {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly {
      readonly kind: string;
      readonly name: string;
      readonly controller?: boolean;
    }[];
  };
}

const KEEPERS: readonly (readonly [prefix: string, keeper: string])[] = [
  ['argocd.argoproj.io/', 'Argo CD'],
  ['kustomize.toolkit.fluxcd.io/', 'Flux'],
  ['helm.toolkit.fluxcd.io/', 'Flux'],
];

/** For a sentence, such as `Argo CD (argocd.argoproj.io/tracking-id)`. `undefined` when nobody is known to. Helm only does at an upgrade. */
export function keptBy({ metadata: { labels, annotations, ownerReferences = [] } }: Kept): string | undefined {
  const names = [...Object.keys(annotations ?? {}), ...Object.keys(labels ?? {})];
  for (const [prefix, keeper] of KEEPERS) {
    const found = names.find((name) => name.startsWith(prefix));
    if (found !== undefined) return `${keeper} (${found})`;
  }
  const owner = ownerReferences.find(({ controller }) => controller === true);
  return owner && `the ${owner.kind} ${owner.name}, which owns it`;
}

export function isOfHelm({ metadata: { annotations } }: Kept): boolean {
  return Object.keys(annotations ?? {}).some((name) => name.startsWith('meta.helm.sh/'));
}
