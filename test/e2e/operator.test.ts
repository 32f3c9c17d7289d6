/**
 * The life of an operator in a cluster, in order: each chapter continues with the state after the previous one. On a real node, Pods are
 * real; on kwok, the manager is a process of this machine (test/e2e/support).
 */
import { afterAll, beforeAll, inject } from 'vitest';
import { anyOrder } from './chapters/any-order.ts';
import { certificates } from './chapters/certificates.ts';
import type { Chapter } from './chapters/chapter.ts';
import { failover } from './chapters/failover.ts';
import { Imports } from './chapters/imports.ts';
import { installation } from './chapters/installation.ts';
import { leastPrivilege } from './chapters/least-privilege.ts';
import { metrics } from './chapters/metrics.ts';
import { policies } from './chapters/policies.ts';
import { removal } from './chapters/removal.ts';
import { requestedRuns } from './chapters/requested-runs.ts';
import { runs } from './chapters/runs.ts';
import { starts } from './chapters/starts.ts';
import { upgrade } from './chapters/upgrade.ts';
import { webhooks } from './chapters/webhooks.ts';
import { KwokSite } from './support/kwok-site.ts';
import { Operator } from './support/operator.ts';
import { PodSite } from './support/pod-site.ts';

let operator: Operator;
const getOperator = () => operator;

beforeAll(async () => {
  operator = await Operator.connect(inject('site').name === 'kwok' ? await KwokSite.open() : new PodSite());
});
afterAll(() => operator[Symbol.asyncDispose]());

const imports = new Imports();

const ALL_CHAPTERS: readonly Chapter[] = [
  imports.begin,
  installation,
  webhooks,
  imports.move,
  runs,
  starts,
  metrics,
  imports.end,
  certificates,
  failover,
  policies,
  requestedRuns,
  upgrade,
  leastPrivilege,
  removal,
  anyOrder,
];
/** With `E2E_CHAPTERS=smoke`: for a second kind of cluster beside a whole run. */
const SMOKE_CHAPTERS: readonly Chapter[] = [installation, webhooks, runs, removal];

for (const chapter of process.env['E2E_CHAPTERS'] === 'smoke' ? SMOKE_CHAPTERS : ALL_CHAPTERS) chapter(getOperator);
