/** Removes the fields of a CronJob that the server and the page do not need. */
import { GROUP } from '../../../api/v1/groupversion.ts';
import type { StoredCronJob } from '../../../api/v1/stored-cronjob.ts';
import type { PageCronJob } from './page-messages.ts';

/** A CronJob in the cache of the server. The server detects changes by the resource version. */
export type CachedCronJob = PageCronJob & {
  readonly metadata: PageCronJob['metadata'] & { readonly resourceVersion: string };
};

export function toCachedCronJob({
  apiVersion,
  kind,
  metadata,
  spec,
  status,
  invalidValues,
}: StoredCronJob): CachedCronJob {
  const { namespace, name, uid, generation, creationTimestamp, labels, annotations, resourceVersion } = metadata;
  const { jobTemplate: _, ...rest } = spec;
  const ownAnnotations = Object.entries(annotations ?? {}).filter(([key]) => key.startsWith(`${GROUP}/`));
  return {
    apiVersion,
    kind,
    metadata: {
      ...{ namespace, name, uid, creationTimestamp, resourceVersion },
      ...(generation !== undefined && { generation }),
      ...(labels && { labels }),
      ...(ownAnnotations.length > 0 && { annotations: Object.fromEntries(ownAnnotations) }),
    },
    spec: rest,
    ...(status && { status }),
    ...(invalidValues && { invalidValues }),
  };
}

export function toPageCronJob({ metadata: { resourceVersion: _, ...metadata }, ...rest }: CachedCronJob): PageCronJob {
  return { ...rest, metadata };
}
