/** Manifests as kubectl and helm print them, and queries on them. */
import { join } from 'node:path';
import { type KubernetesObject, parseFlags } from 'controller-runtime';
import { parseAllDocuments } from 'yaml';
import { type Flags, MANAGER_PROGRAM } from '../../cmd/flags.ts';
import { run } from '../../hack/control-plane/run.ts';

export const PROJECT = join(import.meta.dirname, '../..');

/** Any object, with the fields that tests read. */
// biome-ignore lint/suspicious/noExplicitAny: manifests of two dozen kinds; a test reads one or two fields of each.
export type Manifest = KubernetesObject & Readonly<Record<string, any>>;

/** Parsed texts: a CRD takes half a second, and many tests look at the same installation. */
const parsed = new Map<string, readonly Manifest[]>();

export function parseManifests(text: string): readonly Manifest[] {
  const manifests = parsed.get(text) ?? readManifests(text);
  parsed.set(text, manifests);
  return manifests;
}

function readManifests(text: string): readonly Manifest[] {
  const documents = parseAllDocuments(text).map((document) => document.toJS() as Manifest | null); // YAML from the tools
  return documents.filter((manifest) => manifest !== null);
}

/** The only manifest of this kind with this end of the name. Throws when there is no such manifest or more than one. */
export function findOnly(manifests: readonly Manifest[], kind: string, nameEnd = ''): Manifest {
  const found = manifests.filter((each) => each.kind === kind && each.metadata.name.endsWith(nameEnd));
  if (found[0] === undefined || found.length > 1) throw new Error(`${found.length} of kind ${kind} …${nameEnd}`);
  return found[0];
}

/** `Kind/name` of each, in order. */
export function listTitles(manifests: readonly Manifest[]): readonly string[] {
  return manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
}

/** The distinct parameters in the bindings of the policies. Throws when one binds a missing policy. */
export function listPolicyParameters(manifests: readonly Manifest[]): readonly unknown[] {
  const bindings = manifests.filter(({ kind }) => kind === 'ValidatingAdmissionPolicyBinding');
  for (const { spec } of bindings) findOnly(manifests, 'ValidatingAdmissionPolicy', spec.policyName);
  const texts = new Set(bindings.map(({ spec }) => JSON.stringify(spec.paramRef)));
  return [...texts].map((text) => JSON.parse(text));
}

/** The container of the manager. */
export function managerContainer(manifests: readonly Manifest[]): Manifest['spec'] {
  return findOnly(manifests, 'Deployment')['spec'].template.spec.containers[0];
}

/** The configuration that the manager reads from its arguments. Throws on invalid ones. */
export function managerFlags(manifests: readonly Manifest[]): Flags {
  const args: readonly string[] = managerContainer(manifests).args;
  const { namespace = '' } = findOnly(manifests, 'Deployment').metadata;
  const parsed = parseFlags(
    MANAGER_PROGRAM,
    args.map((arg) => arg.replace('$(POD_NAMESPACE)', namespace)),
  );
  if (parsed.kind !== 'run') throw new Error(`the manager refuses ${args.join(' ')}`);
  return parsed.flags;
}

/** `kubectl` on a cluster, with a separate cache: the user's cache outlives the API server that a port belonged to. */
export function createKubectl(cluster: {
  readonly kubectl: string;
  readonly kubeconfig: string;
  readonly cacheFolder: string;
}) {
  const { kubectl, kubeconfig, cacheFolder } = cluster;
  return (...args: readonly string[]) =>
    run(kubectl, ['--kubeconfig', kubeconfig, '--cache-dir', cacheFolder, ...args]);
}
