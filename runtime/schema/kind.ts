/** The types of custom kinds. */
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { InputResource, Resource } from '../kubernetes/resource.ts';
import type { KindSchema, NameRule } from './kind-schema.ts';
import type { PrinterColumn, ValidationRule } from './structural-schema.ts';

/** Settings that apply to one version of a kind. */
export interface VersionSettings {
  /**
   * Whether the version is deprecated. For a deprecated version, kubectl prints a warning at each request. A string is
   * the text of the warning. With `true`, the API server sends its default text. Default: not deprecated.
   */
  readonly deprecated?: string | true;
  /** The fields that `kubectl scale` and autoscalers read and write. Needs a status. Default: no scale subresource. */
  readonly scale?: ScalePaths;
  /**
   * Paths of fields by which the API server can select objects (`fieldSelector`), such as `.spec.color`. At most eight
   * fields of type string, boolean or integer. Requires Kubernetes 1.32, or the feature gate
   * CustomResourceFieldSelectors. Default: none.
   */
  readonly selectableFields?: readonly string[];
}

/** Paths of the scale subresource, such as `.spec.replicas`. */
export interface ScalePaths {
  /** Path of the requested number of replicas, below `.spec`. */
  readonly specReplicasPath: string;
  /** Path of the observed number of replicas, below `.status`. */
  readonly statusReplicasPath: string;
  /**
   * Path of a string field with the label selector of the Pods. HorizontalPodAutoscalers need the selector. Default: no
   * selector.
   */
  readonly labelSelectorPath?: string;
}

/** A custom kind: the result of {@link defineKind}. Contains the resource on the API server and the schemas. */
export interface Kind<T extends KubernetesObject = KubernetesObject, Input = unknown>
  extends InputResource<T, Input>,
    VersionSettings {
  /** The further versions by name. Empty if the kind has only one version. */
  readonly versions: Readonly<Record<string, KindVersion>>;
  /** Whether clients can use this version. Always true for the version that `defineKind` defines. */
  readonly served: boolean;
  /** Singular name for the command line. */
  readonly singular: string;
  /** Short names for the command line. */
  readonly shortNames: readonly string[];
  /** Categories that include the kind. */
  readonly categories: readonly string[];
  /** Columns of `kubectl get` after the name. */
  readonly printerColumns: readonly PrinterColumn[];
  /** Validation rules for the whole object, in CEL. */
  readonly rules: readonly ValidationRule[];
  /** Maximum length of object names, in addition to the limit of the API server. */
  readonly name?: NameRule;
  /** Description of the kind for `kubectl explain`. */
  readonly description?: string;
  /** The zod schemas of the kind, with functions that validate objects and apply defaults. */
  readonly schema: KindSchema;
}

/** The type of a stored object of a kind, with complete metadata and defaults. */
export type ObjectOf<K extends Resource> = NonNullable<K['objectType']>;

/** The type of the spec in manifests, where fields with a default are optional. */
export type SpecInputOf<K extends Kind> = NonNullable<K['specInput']>;

/** `T`, recursively readonly. */
export type ReadonlyDeep<T> = T extends readonly (infer U)[]
  ? readonly ReadonlyDeep<U>[]
  : T extends object
    ? { readonly [K in keyof T]: ReadonlyDeep<T[K]> }
    : T;

/** A version of a kind that is not the hub version. Clients can use a version like a kind. */
export interface KindVersion<
  T extends KubernetesObject = KubernetesObject,
  Input = unknown,
  Hub extends KubernetesObject = KubernetesObject,
> extends Kind<T, Input> {
  /** Whether the API server stores objects in this version instead of the hub. */
  readonly storage: boolean;
  /** Returns the object in the hub version. Throws an error with the name of the object if the conversion fails. */
  toHub(object: T): Hub;
  /** Returns an object of the hub in this version. Throws an error with the name of the object if the conversion fails. */
  fromHub(object: Hub): T;
}
