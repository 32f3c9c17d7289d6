/** What a version of the operator has stored: test/fixtures/stored, which hack/fixtures/store.ts writes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Job } from '../../../api/kubernetes.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { PROJECT } from '../../support/manifests.ts';

const FOLDER = join(PROJECT, 'test/fixtures/stored');

export interface StoredSet {
  /** RFC 3339: when they were as they are here. */
  readonly storedAt: string;
  readonly cronJobs: readonly CronJob[];
  readonly jobs: readonly Job[];
}

/** A name for each version. */
export const STORED_SETS = readdirSync(FOLDER).map((file) => file.replace('.json', ''));

/** The set, in another namespace than the one in which it was stored. */
export function storedSet(name: string, namespace: string): StoredSet {
  const text = readFileSync(join(FOLDER, `${name}.json`), 'utf8');
  return JSON.parse(text.replaceAll(JSON.parse(text).namespace, namespace));
}
