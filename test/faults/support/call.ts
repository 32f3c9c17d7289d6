/** A request to the API server, in the terms of its audit log. */

export interface AuditedCall {
  /** `create`, `get`, `list`, `watch`, `update`, `patch` or `delete`. */
  readonly verb: string;
  /** With the subresource: `cronjobs/status`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly isDryRun: boolean;
}

const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/** `undefined` for a path without a resource, such as `/readyz`. */
export function parseCall(method: string, url: string): AuditedCall | undefined {
  const { pathname, searchParams } = new URL(url, 'http://server');
  const found =
    /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)\/(?:namespaces\/(?<namespace>[^/]+)\/)?(?<plural>[a-z]+)(?:\/(?<name>[^/]+)(?:\/(?<sub>[a-z]+))?)?$/.exec(
      pathname,
    )?.groups;
  if (found === undefined) return undefined;
  const { namespace, plural = '', name, sub } = found;
  const read = name === undefined ? (isTrue(searchParams.get('watch')) ? 'watch' : 'list') : 'get';
  return {
    verb: VERBS[method] ?? read,
    resource: sub === undefined ? plural : `${plural}/${sub}`,
    namespace,
    name,
    isDryRun: searchParams.has('dryRun'),
  };
}

function isTrue(value: string | null): boolean {
  return value === 'true' || value === '1';
}

/** `update cronjobs/status`: the key for counts of calls, and for faults. */
export function formatCallKind({
  verb,
  resource,
  isDryRun,
}: Pick<AuditedCall, 'verb' | 'resource' | 'isDryRun'>): string {
  return `${verb} ${resource}${isDryRun ? ' (dry run)' : ''}`;
}
