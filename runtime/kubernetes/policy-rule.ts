/** One rule of an RBAC role: the verbs that a controller needs on resources of one API group. */
export interface PolicyRule {
  /** API group; empty for core/v1. */
  readonly group: string;
  /** Plural names, with a subresource after a slash: `pods`, `pods/status`. */
  readonly resources: readonly string[];
  /**
   * Restricts the rule to objects with these names. RBAC cannot restrict `create` by name. A `list` or `watch` request
   * needs a field selector for the name.
   */
  readonly resourceNames?: readonly string[];
  /** The allowed verbs. */
  readonly verbs: readonly ('get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete')[];
}
