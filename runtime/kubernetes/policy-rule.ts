/** What a controller may do with some resources of one API group; one rule of an RBAC role. */
export interface PolicyRule {
  /** Empty for the core group. */
  readonly group: string;
  /** Plurals, with a subresource after a slash: `pods`, `pods/status`. */
  readonly resources: readonly string[];
  /** Only objects with these names. Not for `create`, which has no name; list and watch then have to select by name. */
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly ('get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete')[];
}
