import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { why } from '../../plugin/report/why.ts';
import type { Why } from '../../plugin/ui-server/messages.ts';
import { RequestError, whyOf } from '../cluster/requests.ts';
import { keyOf } from '../model/rows.ts';
import { usePage } from '../page.ts';

/**
 * How it stands. What the Pods of a run tell is asked for when the CronJob has changed, and when the connection is there again. Until it is
 * known, and where it cannot be had, the object answers alone.
 */
export function useWhy(cronJob: CronJob, now: Date): Why & { readonly jobName?: string } {
  const asked: Signal<{ readonly of: CronJob; readonly answer: Why } | undefined> = useSignal(undefined);
  const { run, ...answer } = why(cronJob, now);
  const hasRun = run !== undefined;
  const { kind } = usePage().store.watch.value;
  useEffect(() => {
    if (!hasRun) return;
    const read = async () => {
      try {
        asked.value = { of: cronJob, answer: await whyOf(keyOf(cronJob)) };
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
      }
    };
    void read();
  }, [cronJob, hasRun, kind, asked]);
  const known = asked.value?.of === cronJob ? asked.value.answer : answer;
  return { ...known, ...(run && { jobName: run.jobName }) };
}
