/** The objects that a manager has stored: test/fixtures/stored-objects.json, which test/fixtures/store.ts writes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Job } from '../../../api/kubernetes.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { PROJECT } from '../../support/manifests.ts';

const TEXT = readFileSync(join(PROJECT, 'test/fixtures/stored-objects.json'), 'utf8');

/** CronJobs in every state, and their Jobs. */
export interface StoredObjects {
  /** RFC 3339: the time of this state. */
  readonly storedAt: string;
  readonly cronJobs: readonly CronJob[];
  readonly jobs: readonly Job[];
}

/** The stored objects, in a namespace other than their original one. */
export function readStoredObjects(namespace: string): StoredObjects {
  return JSON.parse(TEXT.replaceAll(JSON.parse(TEXT).namespace, namespace));
}
