/** Finds the tool that keeps an object as in a repository or a chart, and would undo the changes of the import. */

/** The fields of an object that identify the tools that apply it. */
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

/** A label or annotation by which a tool finds its own objects. */
export interface TrackingMark {
  readonly tool: 'Argo CD' | 'Flux' | 'Helm';
  readonly key: string;
}

/**
 * The tool itself writes each of these. Other keys with their prefixes are settings, which users write into manifests and charts in
 * case such a tool applies them.
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

/** The default tracking label of Argo CD, which most charts also set. */
const INSTANCE_LABEL = 'app.kubernetes.io/instance';
/** The field manager of Argo CD. */
const ARGO_CD_MANAGER = 'argocd-controller';

const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';

/** The tracking marks on the object. A tool would treat another object with the same marks as its own, and remove it. */
export function listTrackingMarks({ metadata }: ManagedObject): readonly TrackingMark[] {
  const { annotations = {}, labels = {}, managedFields = [] } = metadata;
  const isApplied = managedFields.some(({ manager }) => manager === ARGO_CD_MANAGER);
  return [
    ...ANNOTATIONS.filter(({ key }) => annotations[key] !== undefined),
    ...LABELS.filter(({ key }) => labels[key] !== undefined),
    ...(isApplied && labels[INSTANCE_LABEL] !== undefined ? [{ tool: 'Argo CD', key: INSTANCE_LABEL } as const] : []),
    ...(labels[MANAGED_BY_LABEL] === 'Helm' ? [{ tool: 'Helm', key: MANAGED_BY_LABEL } as const] : []),
  ];
}

/**
 * A phrase for a sentence, such as `Argo CD (argocd.argoproj.io/tracking-id)`. `undefined` if no tool continuously
 * reconciles the object. Helm, for example, changes it only on upgrade.
 */
export function findManagingTool(object: ManagedObject): string | undefined {
  const mark = listTrackingMarks(object).find((each) => each.tool !== 'Helm' && !isReleasedByUser(object, each));
  if (mark !== undefined) return `${mark.tool} (${mark.key})`;
  const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner && `its owner, the ${owner.kind} ${owner.name}`;
}

/** Annotations, with their values, by which users make a controller of Flux leave an object unchanged. */
const RELEASES: readonly (readonly [key: string, ...values: readonly string[]])[] = [
  ['kustomize.toolkit.fluxcd.io/reconcile', 'disabled'],
  ['kustomize.toolkit.fluxcd.io/ssa', 'ignore', 'ifnotpresent'],
  ['helm.toolkit.fluxcd.io/driftDetection', 'disabled'],
];

function isReleasedByUser({ metadata: { annotations = {} } }: ManagedObject, mark: TrackingMark): boolean {
  const [controller] = mark.key.split('/');
  return RELEASES.some(
    ([key, ...values]) => key.startsWith(`${controller}/`) && values.includes(annotations[key]?.toLowerCase() ?? ''),
  );
}

/** Notes about an object that Helm has installed. If another tool renders the chart, the object has other marks. */
export function listHelmNotes({ metadata: { annotations = {} } }: ManagedObject): readonly string[] {
  const release = annotations['meta.helm.sh/release-name'];
  if (release === undefined) return [];
  return [
    `the batch/v1 CronJob belongs to the Helm release ${release}: the next helm upgrade creates it again; change the chart first`,
  ];
}
