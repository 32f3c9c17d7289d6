/** The names of a project and of a kind, and the rules for them. */

/** The answers that describe a kind. */
export interface Api {
  /** A domain, such as `example.com`. */
  readonly group: string;
  /** Such as `v1alpha1`. */
  readonly version: string;
  /** In CamelCase, such as `Website`. */
  readonly kind: string;
  /** Plural in lower case, such as `websites`. */
  readonly plural: string;
  readonly scope: Scope;
  readonly webhooks: readonly WebhookType[];
}

export const SCOPES = ['Namespaced', 'Cluster'] as const;
export type Scope = (typeof SCOPES)[number];

export const WEBHOOK_TYPES = ['defaulting', 'validation'] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

export const DEFAULT_VERSION = 'v1alpha1';

/** The longest name that the manager derives is that of a Service, `<name>-webhook-service`, with at most 63 characters. */
const MAX_NAME_LENGTH = 63 - '-webhook-service'.length;
/** The API server adds `List` to the kind, and allows 63 characters. */
const MAX_KIND_LENGTH = 63 - 'List'.length;

const DOMAIN = /^(?=.{1,189}$)([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.)+[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const PROTECTED_DOMAIN = /(?:^|\.)(?:k8s|kubernetes)\.io$/;
const DNS_LABEL = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** Returns what is wrong with the value, or `undefined`. */
export type Check = (value: string) => string | undefined;

/** The checks of the answers, by their names. The API server has the same rules, but also accepts other versions. */
export const CHECKS = {
  name: (name) => {
    if (!DNS_LABEL.test(name)) return 'must be lower-case letters, digits and hyphens, such as website-operator';
    return name.length > MAX_NAME_LENGTH ? `must have at most ${MAX_NAME_LENGTH} characters` : undefined;
  },
  group: (group) => {
    if (!DOMAIN.test(group)) return 'must be a domain in lower case with a dot, such as example.com';
    return PROTECTED_DOMAIN.test(group) ? 'must not be a domain of Kubernetes: use a domain that you own' : undefined;
  },
  version: (version) =>
    /^v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?$/.test(version) && version.length <= 63
      ? undefined
      : 'must be a version such as v1, v1beta1 or v1alpha1',
  kind: (kind) => {
    if (!/^[A-Z][A-Za-z0-9]*$/.test(kind)) return 'must be CamelCase and singular, such as Website';
    return kind.length > MAX_KIND_LENGTH ? `must have at most ${MAX_KIND_LENGTH} characters` : undefined;
  },
  plural: (plural) =>
    DNS_LABEL.test(plural)
      ? undefined
      : 'must be lower-case letters, digits and hyphens, and begin with a letter, such as websites',
} satisfies Readonly<Record<string, Check>>;

/** Returns the default of `plural`, by the rules of `defineKind`: `policies`, `boxes`. */
export function pluralize(kind: string): string {
  const singular = kind.toLowerCase();
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`;
}

/** Returns the kind as in the names of files: `http-route` for HTTPRoute. */
export function toKebabCase(kind: string): string {
  return kind
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
}
