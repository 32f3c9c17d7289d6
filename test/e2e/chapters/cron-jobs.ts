/** CronJobs for kubectl, in a form that any cluster accepts. */
import { type CoreEvent, core, type Job } from 'controller-runtime/kubernetes';
import { eventually } from 'controller-runtime/testing';
import { expect } from 'vitest';
import type { CronJobSpec } from '../../../api/v1/cronjob-types.ts';
import { API_VERSION, KIND, RUN_NOW_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { cronJobs, jobs } from '../../../controllers/resources.ts';
import type { Manifest } from '../../support/manifests.ts';
import { SHELL_IMAGE } from '../support/images.ts';
import { type Operator, PATIENCE, WORK_NAMESPACE } from '../support/operator.ts';

const RESTRICTED = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
const RESTRICTED_POD = { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } };

export interface Workload {
  /** Shell command of a container. Default: empty. */
  readonly script?: string;
  /** Annotations of test/cluster/kwok-stages.yaml with the same effect for kwok, which does not run containers. */
  readonly simulated?: Readonly<Record<string, string>>;
  /** Additional fields of the Job's spec. */
  readonly job?: object;
  /** Additional fields of the Pod's spec. */
  readonly pod?: object;
  /** Additional fields of its container. */
  readonly container?: object;
}

/** Text of a CronJob that does some work. Its default schedule is never due. */
export function cronJobManifest(name: string, spec: Partial<CronJobSpec>, work: Workload = {}): string {
  const { script = 'true', simulated = {}, job = {}, pod = {}, container = {} } = work;
  const manifest = {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: { name, namespace: WORK_NAMESPACE },
    spec: {
      schedule: '@yearly',
      jobTemplate: {
        spec: {
          backoffLimit: 0,
          ...job,
          template: {
            metadata: { annotations: simulated },
            spec: {
              restartPolicy: 'Never',
              terminationGracePeriodSeconds: 1,
              securityContext: RESTRICTED_POD,
              containers: [
                {
                  name: 'work',
                  image: SHELL_IMAGE,
                  args: ['sh', '-c', script],
                  securityContext: RESTRICTED,
                  ...container,
                },
              ],
              ...pod,
            },
          },
        },
      },
      ...spec,
    },
  };
  return JSON.stringify(manifest);
}

/** The Jobs of a CronJob, oldest first. */
export async function listJobs(operator: Operator, cronJob: string): Promise<readonly Job[]> {
  const all = await operator.client.list(jobs, { namespace: WORK_NAMESPACE });
  return all
    .filter(({ metadata }) => metadata.ownerReferences?.some(({ name }) => name === cronJob))
    .toSorted((left, right) => getCreationMs(left) - getCreationMs(right));
}

function getCreationMs({ metadata }: Job): number {
  return Date.parse(metadata.creationTimestamp);
}

export async function getStatus(operator: Operator, cronJob: string): Promise<Manifest['status']> {
  return (await operator.client.get(cronJobs, { namespace: WORK_NAMESPACE, name: cronJob }))?.status;
}

/** Reasons of the events about a CronJob. */
export async function listEventReasons(operator: Operator, cronJob: string): Promise<readonly string[]> {
  return (await listEvents(operator, cronJob)).map(({ reason = '' }) => reason);
}

/** Messages of the events about a CronJob that have this reason. */
export async function listEventMessages(
  operator: Operator,
  cronJob: string,
  reason: string,
): Promise<readonly string[]> {
  const events = await listEvents(operator, cronJob);
  return events.filter((event) => event.reason === reason).map(({ message = '' }) => message);
}

export function listEvents(operator: Operator, cronJob: string): Promise<readonly CoreEvent[]> {
  const fieldSelector = `involvedObject.kind=${KIND},involvedObject.name=${cronJob}`;
  return operator.client.list(core.v1.events, { namespace: WORK_NAMESPACE, fieldSelector });
}

/** Requests a manual run. */
export async function requestRun(operator: Operator, cronJob: string, value: string): Promise<void> {
  await operator.kubectlInWork('wait', 'tcj', cronJob, '--for=condition=Available', '--timeout=60s');
  await operator.kubectlInWork('annotate', '--overwrite', 'tcj', cronJob, `${RUN_NOW_ANNOTATION}=${value}`);
}

/** Starts a manual run, and resolves to its result in the status. */
export async function runManually(operator: Operator, cronJob: string, value: string): Promise<Manifest['status']> {
  await requestRun(operator, cronJob, value);
  return await eventually(async () => {
    const status = await getStatus(operator, cronJob);
    expect(status).toMatchObject({ lastManualRun: value, activeCount: 0, lastRun: { result: expect.any(String) } });
    expect(status.lastRun.result).not.toBe('Running');
    return status;
  }, PATIENCE);
}
