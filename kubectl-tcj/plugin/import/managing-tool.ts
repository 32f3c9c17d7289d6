/** Detects the tool that manages an object. A tool such as Argo CD would revert the changes of an import. */

/** An object with the metadata that identifies its managing tool. */
export interface ManagedObject {
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

/** A label or annotation with which a tool marks the objects that it manages. */
export interface TrackingMark {
  readonly tool: 'Argo CD' | 'Flux' | 'Helm';
  readonly key: string;
}

/** The annotations that only a tool adds. Other annotations with the same prefixes are settings, which users write. */
const TRACKING_ANNOTATIONS: readonly TrackingMark[] = [
  { tool: 'Argo CD', key: 'argocd.argoproj.io/tracking-id' },
  { tool: 'Argo CD', key: 'argocd.argoproj.io/installation-id' },
  { tool: 'Helm', key: 'meta.helm.sh/release-name' },
  { tool: 'Helm', key: 'meta.helm.sh/release-namespace' },
];
const TRACKING_LABELS: readonly TrackingMark[] = [
  { tool: 'Argo CD', key: 'argocd.argoproj.io/instance' },
  ...['kustomize', 'helm'].flatMap((controller) =>
    ['name', 'namespace'].map((key) => ({ tool: 'Flux' as const, key: `${controller}.toolkit.fluxcd.io/${key}` })),
  ),
];

/** The default tracking label of Argo CD. Most Helm charts also set `app.kubernetes.io/instance`. */
const INSTANCE_LABEL = 'app.kubernetes.io/instance';
const ARGO_CD_FIELD_MANAGER = 'argocd-controller';

const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';

/**
 * Lists the tracking marks of the object. A copy of the object must not have tracking marks, because the tool would then delete the
 * copy.
 */
export function listTrackingMarks({ metadata }: ManagedObject): readonly TrackingMark[] {
  const { annotations = {}, labels = {}, managedFields = [] } = metadata;
  const isAppliedByArgoCd = managedFields.some(({ manager }) => manager === ARGO_CD_FIELD_MANAGER);
  return [
    ...TRACKING_ANNOTATIONS.filter(({ key }) => annotations[key] !== undefined),
    ...TRACKING_LABELS.filter(({ key }) => labels[key] !== undefined),
    ...(isAppliedByArgoCd && labels[INSTANCE_LABEL] !== undefined
      ? [{ tool: 'Argo CD', key: INSTANCE_LABEL } as const]
      : []),
    ...(labels[MANAGED_BY_LABEL] === 'Helm' ? [{ tool: 'Helm', key: MANAGED_BY_LABEL } as const] : []),
  ];
}

/**
 * Returns the tool that continuously reconciles the object, such as `Argo CD (argocd.argoproj.io/tracking-id)`. Ignores Helm, which
 * changes objects only during an upgrade.
 */
export function findManagingTool(object: ManagedObject): string | undefined {
  const mark = listTrackingMarks(object).find((each) => each.tool !== 'Helm' && !isOptedOut(object, each));
  if (mark !== undefined) return `${mark.tool} (${mark.key})`;
  const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner && `its owner, the ${owner.kind} ${owner.name}`;
}

/** The annotations, with their values, that exclude an object from the reconciliation by Flux. */
const OPT_OUT_ANNOTATIONS: readonly (readonly [key: string, ...values: readonly string[]])[] = [
  ['kustomize.toolkit.fluxcd.io/reconcile', 'disabled'],
  ['kustomize.toolkit.fluxcd.io/ssa', 'ignore', 'ifnotpresent'],
  ['helm.toolkit.fluxcd.io/driftDetection', 'disabled'],
];

function isOptedOut({ metadata: { annotations = {} } }: ManagedObject, mark: TrackingMark): boolean {
  const [controller] = mark.key.split('/');
  return OPT_OUT_ANNOTATIONS.some(
    ([key, ...values]) => key.startsWith(`${controller}/`) && values.includes(annotations[key]?.toLowerCase() ?? ''),
  );
}

/** Returns a note for an object of a Helm release. */
export function listHelmNotes({ metadata: { annotations = {} } }: ManagedObject): readonly string[] {
  const release = annotations['meta.helm.sh/release-name'];
  if (release === undefined) return [];
  return [
    `the batch/v1 CronJob belongs to the Helm release ${release}: the next helm upgrade creates it again; change the chart first`,
  ];
}
