/** One rule of an RBAC role. */
export type PolicyRule = ResourceRule | NonResourceRule;

/** The verbs that a role allows on resources of one API group. */
export interface ResourceRule {
  /** API group; empty for core/v1. */
  readonly group: string;
  /** Plural names of kinds. A subresource follows after a slash: `pods`, `pods/status`. */
  readonly resources: readonly string[];
  /**
   * Restricts the rule to objects with these names. RBAC cannot restrict `create` by name. If the rule restricts `list`
   * or `watch`, each request needs a field selector for the name.
   */
  readonly resourceNames?: readonly string[];
  /** The allowed verbs. */
  readonly verbs: readonly PolicyVerb[];
}

/**
 * The verbs that a ClusterRole allows on URL paths, such as `/metrics`. Only a ClusterRole can have rules for paths.
 */
export interface NonResourceRule {
  /** URL paths, such as `/metrics`. */
  readonly nonResourceURLs: readonly string[];
  /** The allowed methods in lower case, such as `get`. */
  readonly verbs: readonly PolicyVerb[];
}

/** A verb of RBAC: one of the common verbs, or any other verb, such as `use` or `approve`. */
export type PolicyVerb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  | 'bind'
  | 'escalate'
  | 'impersonate'
  | '*'
  | (string & Record<never, never>); // editors still suggest the verbs above

/** Merges rules that differ only in their verbs. */
export function mergeRules<R extends PolicyRule>(rules: readonly R[]): readonly R[] {
  const merged = new Map<string, R>();
  for (const rule of rules) {
    const id = JSON.stringify(
      'group' in rule ? [rule.group, rule.resources, rule.resourceNames] : rule.nonResourceURLs,
    );
    const verbs = [...new Set([...(merged.get(id)?.verbs ?? []), ...rule.verbs])];
    merged.set(id, { ...rule, verbs });
  }
  return [...merged.values()];
}
