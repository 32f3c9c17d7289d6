/** The parts of a CronJob that the server keeps, and the parts that the page gets. */
import { GROUP } from '../../../api/v1/groupversion.ts';
import type { StoredCronJob } from '../../../api/v1/stored-cronjob.ts';
import type { PageCronJob } from './messages.ts';

/** Includes the resource version, which distinguishes two versions of the object. */
export type HeldCronJob = PageCronJob & {
  readonly metadata: PageCronJob['metadata'] & { readonly resourceVersion: string };
};

export function heldCronJob({ apiVersion, kind, metadata, spec, status, invalidValues }: StoredCronJob): HeldCronJob {
  const { namespace, name, uid, generation, creationTimestamp, labels, annotations, resourceVersion } = metadata;
  const { jobTemplate: _, ...rest } = spec;
  const ours = Object.entries(annotations ?? {}).filter(([key]) => key.startsWith(`${GROUP}/`));
  return {
    apiVersion,
    kind,
    metadata: {
      ...{ namespace, name, uid, creationTimestamp, resourceVersion },
      ...(generation !== undefined && { generation }),
      ...(labels && { labels }),
      ...(ours.length > 0 && { annotations: Object.fromEntries(ours) }),
    },
    spec: rest,
    ...(status && { status }),
    ...(invalidValues && { invalidValues }),
  };
}

export function shown({ metadata: { resourceVersion: _, ...metadata }, ...rest }: HeldCronJob): PageCronJob {
  return { ...rest, metadata };
}
