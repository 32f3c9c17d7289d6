/** Converts objects between the versions of a kind. Each conversion goes through the hub version. */
import { isRecord } from '../kubernetes/is-record.ts';
import type { KubernetesObject, ObjectMeta } from '../kubernetes/object.ts';
import { formatApiVersion } from '../kubernetes/resource.ts';
import type { Kind } from './kind.ts';
import { getProperty } from './schema-tree.ts';

/** A conversion function of a version, without the types of its objects. */
export type ConversionFunction = (object: never) => unknown;

interface ConversionStep {
  readonly source: Pick<Kind, 'kind' | 'version' | 'schema'>;
  readonly target: Pick<Kind, 'group' | 'kind' | 'version' | 'schema'>;
  readonly transform: ConversionFunction;
  /** Whether the versions have the same schema of the status. If true, the status is copied. */
  readonly sharesStatus: boolean;
}

/**
 * Calls `transform`, and completes its result: sets `apiVersion` and `kind`, and copies the metadata except for changed
 * labels and annotations.
 *
 * If the versions share the status, an object without a spec is converted without `transform`. For a status update that
 * contains only the status, the API server converts an object without a spec, to compute the changed fields.
 *
 * Adds no defaults. During server-side apply, the API server first removes the fields that the user no longer applies,
 * and then converts the object. If a conversion added a default for a removed field, the API server would keep the
 * field.
 */
export function convertStep(object: KubernetesObject, step: ConversionStep): KubernetesObject {
  const { target, sharesStatus } = step;
  const hasSpec = getProperty(object, 'spec') !== undefined;
  // The API server may convert an object without metadata.
  const complete = { ...object, metadata: object.metadata ?? {} };
  const result = hasSpec || !sharesStatus ? callTransform(step.source.schema.withoutNulls(complete), step) : {};
  const spec = getProperty(result, 'spec');
  const status = getProperty(sharesStatus ? object : result, 'status');
  return {
    apiVersion: formatApiVersion(target),
    kind: target.kind,
    metadata: convertMetadata(object.metadata, getProperty(result, 'metadata')),
    ...(spec !== undefined && { spec }),
    ...(status !== undefined && { status }),
  } as KubernetesObject;
}

/**
 * Converts an object of `kind` to `version`. Throws an error that contains the name of the object if a conversion fails
 * or if the kind does not have one of the versions.
 */
export function convertObject(kind: Kind, object: KubernetesObject, version: string): KubernetesObject {
  const sourceVersion = object.apiVersion.slice(object.apiVersion.indexOf('/') + 1);
  if (sourceVersion === version) return object;
  const hubObject = sourceVersion === kind.version ? object : getVersion(kind, sourceVersion).toHub(object);
  return version === kind.version ? hubObject : getVersion(kind, version).fromHub(hubObject);
}

function getVersion({ kind, version: hub, versions }: Kind, name: string) {
  const version = Object.hasOwn(versions, name) ? versions[name] : undefined;
  if (version !== undefined) return version;
  throw new Error(`${kind} has no version ${name}, only ${[hub, ...Object.keys(versions)].join(', ')}`);
}

function callTransform(object: KubernetesObject, step: ConversionStep): object {
  const { source, target, transform } = step;
  const fail = (reason: string, cause?: unknown) =>
    new Error(`convert ${describeObject(object)} from ${source.version} to ${target.version}: ${reason}`, { cause });
  let result: unknown;
  try {
    result = transform(object as never); // the object has the source version, whose type the definition has checked
  } catch (cause) {
    throw fail(explainFailure(cause, source.schema.faults(object)), cause);
  }
  if (isRecord(result) && isRecord(result['spec'])) return result;
  throw fail(`the conversion returned ${result instanceof Promise ? 'a promise' : 'no object'} instead of a spec`);
}

/**
 * A TypeError in a conversion usually comes from a field that the object lacks, because server-side apply converts an object before
 * it validates the object. The faults tell the user which field is missing.
 */
function explainFailure(
  error: unknown,
  faults: readonly { readonly field: string; readonly message: string }[],
): string {
  if (error instanceof TypeError && faults.length > 0)
    return faults.map(({ field, message }) => `${field}: ${message}`).join(', ');
  return error instanceof Error ? error.message : String(error);
}

/** Conversions may change only labels and annotations. The API server rejects or ignores all other changes. */
function convertMetadata(metadata: ObjectMeta, changes: unknown): ObjectMeta {
  if (!isRecord(metadata) || !isRecord(changes)) return metadata;
  const { labels: _, annotations: __, ...rest } = metadata;
  const { labels, annotations } = changes as Pick<ObjectMeta, 'labels' | 'annotations'>;
  return { ...rest, ...(labels && { labels }), ...(annotations && { annotations }) };
}

function describeObject({ kind, metadata }: KubernetesObject): string {
  const { namespace, name, generateName } = (metadata ?? {}) as Partial<ObjectMeta>;
  const fullName = name ?? generateName ?? '(no name)';
  return `${kind} ${namespace === undefined ? fullName : `${namespace}/${fullName}`}`;
}
