import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { Remedy } from '../../plugin/report/remedy.ts';
import type { PodsTold } from '../../plugin/report/told-run.ts';
import { why } from '../../plugin/report/why.ts';
import { podsOf, RequestError } from '../cluster/requests.ts';
import { keyOf } from '../model/rows.ts';
import { usePage } from '../page.ts';

interface Standing {
  readonly sentence: string;
  readonly remedy: Remedy;
  /** Of the run that it is about, where that may have logs. */
  readonly jobName: string | undefined;
}

/**
 * How it stands now. What the Pods of a run tell is asked for when the CronJob has changed, and when the connection is there again. Until it is
 * known, and where it cannot be had, the object answers alone.
 */
export function useWhy(cronJob: CronJob, now: Date): Standing {
  const asked: Signal<{ readonly of: CronJob; readonly told: PodsTold | undefined } | undefined> = useSignal(undefined);
  const told = asked.value?.of === cronJob ? asked.value.told : undefined;
  const { run, sentence, ...remedy } = why(cronJob, now, told);
  const hasRun = run !== undefined;
  const { kind } = usePage().store.watch.value;
  useEffect(() => {
    if (!hasRun) return;
    const read = async () => {
      try {
        asked.value = { of: cronJob, told: (await podsOf(keyOf(cronJob))).told };
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
      }
    };
    void read();
  }, [cronJob, hasRun, kind, asked]);
  return { sentence, remedy, jobName: told?.areGone ? undefined : run?.jobName };
}
