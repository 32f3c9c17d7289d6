/** Which tool keeps an object as a repository or a chart has it, and would set back what the import changes. */

/** What an object tells about the tools that apply it. */
export interface Marked {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly managedFields?: readonly { readonly manager?: string }[];
    readonly ownerReferences?: readonly {
      readonly kind: string;
      readonly name: string;
      readonly controller?: boolean;
    }[];
  };
}

/** A label or annotation by which a tool finds its own objects again. */
export interface TrackingMark {
  readonly tool: 'Argo CD' | 'Flux' | 'Helm';
  readonly key: string;
}

/**
 * Each is written by the tool itself. Other keys with their prefixes are settings, which people write into manifests and charts for the
 * case that such a tool applies them.
 */
const ANNOTATIONS: readonly TrackingMark[] = [
  { tool: 'Argo CD', key: 'argocd.argoproj.io/tracking-id' },
  { tool: 'Argo CD', key: 'argocd.argoproj.io/installation-id' },
  { tool: 'Helm', key: 'meta.helm.sh/release-name' },
  { tool: 'Helm', key: 'meta.helm.sh/release-namespace' },
];
const LABELS: readonly TrackingMark[] = [
  { tool: 'Argo CD', key: 'argocd.argoproj.io/instance' },
  ...['kustomize', 'helm'].flatMap((controller) =>
    ['name', 'namespace'].map((key) => ({ tool: 'Flux' as const, key: `${controller}.toolkit.fluxcd.io/${key}` })),
  ),
];

/** What Argo CD tracks by unless it is set to something else, and what most charts set themselves. */
const INSTANCE_LABEL = 'app.kubernetes.io/instance';
/** The field manager of Argo CD. */
const ARGO_CD_MANAGER = 'argocd-controller';

const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';

/** Those that the object has: an object with the same marks would be taken for the tool's own too, and be removed. */
export function trackingMarks({ metadata }: Marked): readonly TrackingMark[] {
  const { annotations = {}, labels = {}, managedFields = [] } = metadata;
  const isApplied = managedFields.some(({ manager }) => manager === ARGO_CD_MANAGER);
  return [
    ...ANNOTATIONS.filter(({ key }) => annotations[key] !== undefined),
    ...LABELS.filter(({ key }) => labels[key] !== undefined),
    ...(isApplied && labels[INSTANCE_LABEL] !== undefined ? [{ tool: 'Argo CD', key: INSTANCE_LABEL } as const] : []),
    ...(labels[MANAGED_BY_LABEL] === 'Helm' ? [{ tool: 'Helm', key: MANAGED_BY_LABEL } as const] : []),
  ];
}

/** For a sentence, such as `Argo CD (argocd.argoproj.io/tracking-id)`. `undefined` when no tool does so all the time: Helm does at an upgrade. */
export function keptBy(object: Marked): string | undefined {
  const mark = trackingMarks(object).find((each) => each.tool !== 'Helm' && !isReleased(object, each));
  if (mark !== undefined) return `${mark.tool} (${mark.key})`;
  const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner && `the ${owner.kind} ${owner.name}, which owns it`;
}

/** Annotations with which people tell a controller of Flux to leave an object as it is, and their values. */
const RELEASES: readonly (readonly [key: string, ...values: readonly string[]])[] = [
  ['kustomize.toolkit.fluxcd.io/reconcile', 'disabled'],
  ['kustomize.toolkit.fluxcd.io/ssa', 'ignore', 'ifnotpresent'],
  ['helm.toolkit.fluxcd.io/driftDetection', 'disabled'],
];

function isReleased({ metadata: { annotations = {} } }: Marked, mark: TrackingMark): boolean {
  const [controller] = mark.key.split('/');
  return RELEASES.some(
    ([key, ...values]) => key.startsWith(`${controller}/`) && values.includes(annotations[key]?.toLowerCase() ?? ''),
  );
}

/** What to say of one that Helm has installed. A chart that another tool renders leaves other marks. */
export function helmNotes({ metadata: { annotations = {} } }: Marked): readonly string[] {
  const release = annotations['meta.helm.sh/release-name'];
  if (release === undefined) return [];
  return [
    `the source is of the Helm release ${release}: the next helm upgrade makes it again, as the chart has it; change the chart before that`,
  ];
}
