/** What a controller may do with some resources of one API group; a rule of an RBAC role. */
export interface PolicyRule {
  /** Empty for the core group. */
  readonly group: string;
  /** Plurals, with a subresource behind a slash: `pods`, `pods/status`. */
  readonly resources: readonly string[];
  /** Only objects of these names. Not for `create`, which names none; list and watch then have to select by name. */
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly ('get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete')[];
}
