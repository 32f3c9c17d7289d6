/** Permissions in the terms of RBAC: the permissions that roles grant to a ServiceAccount, and the permissions that requests in an audit log needed. */
import { z } from 'zod';
import type { Manifest } from './manifests.ts';

/** One verb on one resource or path. */
export interface Permission {
  readonly verb: string;
  /** A path, or a resource as kubectl names it: `jobs.batch`, `cronjobs/status.batch.tutorial.kubebuilder.io`, `events`. */
  readonly resource: string;
  /** In a granted permission: the only object it covers. In a used permission: the object. */
  readonly name?: string | undefined;
  /** In a granted permission: the only namespace it covers. In a used permission: the namespace. */
  readonly namespace?: string | undefined;
}

/** A request with a response. */
export interface RequestedPermission {
  /** The authorized user: the impersonated user, else the authenticated user. */
  readonly user: string;
  readonly permission: Permission;
  /** HTTP status. */
  readonly code: number;
  /** The message of a response that is not an object. */
  readonly message: string;
}

export interface AccountRef {
  readonly namespace: string;
  readonly name: string;
}

const auditEvent = z.object({
  stage: z.string(),
  verb: z.string(),
  requestURI: z.string(),
  user: z.object({ username: z.string() }),
  impersonatedUser: z.object({ username: z.string() }).optional(),
  objectRef: z
    .object({
      apiGroup: z.string().default(''),
      resource: z.string(),
      subresource: z.string().optional(),
      namespace: z.string().optional(),
      name: z.string().optional(),
    })
    .optional(),
  responseStatus: z.object({ code: z.number(), message: z.string().default('') }).optional(),
});

/**
 * The requests in an audit log, each once.
 * @param log An event per line, in JSON.
 */
export function parseAuditLog(log: string): readonly RequestedPermission[] {
  const lines = log.split('\n').filter((line) => line !== '');
  return lines.flatMap((line) => {
    const event = auditEvent.parse(JSON.parse(line));
    // The log has two entries for a watch: at its start and at its end.
    if (event.stage !== 'ResponseComplete' && event.verb !== 'watch') return [];
    const { code = 0, message = '' } = event.responseStatus ?? {};
    const user = (event.impersonatedUser ?? event.user).username;
    return [{ user, permission: getRequiredPermission(event), code, message }];
  });
}

function getRequiredPermission({ verb, requestURI, objectRef }: z.infer<typeof auditEvent>): Permission {
  if (objectRef === undefined) return { verb, resource: requestURI.replace(/\?.*$/, '') };
  const { apiGroup, resource, subresource, namespace } = objectRef;
  // The log has the name from the body, which is not read yet at authorization.
  const name = verb === 'create' && subresource === undefined ? undefined : objectRef.name;
  return { verb, resource: formatResource(apiGroup, resource, subresource), namespace, name };
}

/**
 * The permissions that bindings grant to a ServiceAccount.
 * @param objects Roles, ClusterRoles and their bindings, all of the cluster.
 */
export function listGrantedPermissions(objects: readonly Manifest[], account: AccountRef): readonly Permission[] {
  const bindings = objects.filter(({ subjects = [] }) =>
    subjects.some(
      (subject: Manifest) =>
        subject.kind === 'ServiceAccount' &&
        subject['name'] === account.name &&
        subject['namespace'] === account.namespace,
    ),
  );
  return bindings.flatMap(({ metadata: { namespace }, roleRef }) => {
    const role = objects.find(
      ({ kind, metadata }) =>
        kind === roleRef.kind &&
        metadata.name === roleRef.name &&
        (kind === 'ClusterRole' || metadata.namespace === namespace),
    );
    const rules: readonly Manifest[] = role?.['rules'] ?? [];
    return rules.flatMap((rule) => expandRule(rule).map((permission) => ({ ...permission, namespace })));
  });
}

/** Whether the granted permissions allow a request. Does not support wildcards, because our roles should not have any. */
export function covers(granted: Permission, required: Permission): boolean {
  return (
    granted.verb === required.verb &&
    granted.resource === required.resource &&
    [undefined, required.name].includes(granted.name) &&
    [undefined, required.namespace].includes(granted.namespace)
  );
}

/** A permission as text. */
export function formatPermission({ verb, resource, name, namespace }: Permission): string {
  return [verb, resource, ...(name ? [name] : []), ...(namespace ? [`in ${namespace}`] : [])].join(' ');
}

/** One permission for each combination in a rule. */
function expandRule(rule: Manifest): readonly Permission[] {
  const { apiGroups = [], resources = [], nonResourceURLs = [], verbs } = rule as Readonly<Record<string, string[]>>;
  const names: readonly (string | undefined)[] = rule['resourceNames'] ?? [undefined];
  const resourceNames = apiGroups.flatMap((group) =>
    resources.map((each) => formatResource(group, ...(each.split('/') as [string, string?]))),
  );
  return (verbs ?? []).flatMap((verb) => [
    ...resourceNames.flatMap((resource) => names.map((name) => ({ verb, resource, name }))),
    ...nonResourceURLs.map((resource) => ({ verb, resource })),
  ]);
}

function formatResource(group: string, resource: string, subresource?: string): string {
  return `${resource}${subresource ? `/${subresource}` : ''}${group ? `.${group}` : ''}`;
}
