/** Does the work of the Job controller and of Pods: each Job starts, and ends after a while. A small separate operator. */
import {
  HttpTransport,
  isNotFound,
  KubeConfigCredentials,
  loadKubeConfig,
  type Reconciler,
  SystemClock,
} from 'controller-runtime';
import { Manager, PrometheusMetrics } from 'controller-runtime/internal';
import { RecordingLogger } from 'controller-runtime/testing';
import type { Job } from '../../../api/kubernetes.ts';
import { jobs } from '../../../controllers/resources.ts';

/** Annotation of a Job: its duration in seconds. A Job without it never ends. */
export const RUNS_SECONDS = 'faults.example.com/runs-seconds';
/** Annotation of a Job, with any value: the Job fails. */
export const FAILS = 'faults.example.com/fails';

export interface JobFinisher extends AsyncDisposable {
  readonly finished: () => number;
}

/** @param kubeconfig Path. */
export async function startJobFinisher(kubeconfig: string): Promise<JobFinisher> {
  const clock = new SystemClock();
  const credentials = new KubeConfigCredentials(() => loadKubeConfig(kubeconfig), clock);
  const transport = new HttpTransport({ credentials, clock, userAgent: 'job-finisher' });
  const log = new RecordingLogger();
  const manager = new Manager({ name: 'job-finisher', transport, clock, log, metrics: new PrometheusMetrics() });
  let finished = 0;
  const reconciler: Reconciler<Job> = {
    async reconcile({ namespace, name }) {
      const job = await manager.client.get(jobs, { namespace, name });
      const seconds = job?.metadata.annotations?.[RUNS_SECONDS];
      if (job === undefined || seconds === undefined || job.metadata.deletionTimestamp || isFinished(job)) return {};
      const endMs = Date.parse(job.metadata.creationTimestamp) + 1000 * Number(seconds);
      if (endMs > Date.now()) return { requeueAfterMs: endMs - Date.now() };
      try {
        await manager.client.updateStatus(jobs, { metadata: job.metadata, status: createFinishedStatus(job) });
        finished++;
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      return {};
    },
  };
  manager.controller('job-finisher').for(jobs).complete(reconciler);
  const stopping = new AbortController();
  const ended = manager.start(stopping.signal);
  return {
    finished: () => finished,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await ended;
      await transport.close();
    },
  };
}

function isFinished({ status }: Job): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: is }) => ['Complete', 'Failed'].includes(type) && is === 'True',
  );
}

function createFinishedStatus({ metadata }: Job): NonNullable<Job['status']> {
  const now = new Date().toISOString().replace(/\.\d+/, '');
  const types =
    metadata.annotations?.[FAILS] === undefined ? ['SuccessCriteriaMet', 'Complete'] : ['FailureTarget', 'Failed'];
  const conditions = types.map((type) => ({ type, status: 'True' as const, lastTransitionTime: now, reason: 'Test' }));
  const completion = types.includes('Complete') ? { completionTime: now } : {};
  return { startTime: metadata.creationTimestamp, ...completion, conditions };
}
