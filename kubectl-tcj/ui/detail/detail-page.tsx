import { useRef } from 'preact/hooks';
import { usePageState } from '../page-state.ts';
import { Link } from '../parts/link.tsx';
import { CronJobDetail } from './cron-job-detail.tsx';

export function DetailPage() {
  const { selectedCronJob, view, store } = usePageState();
  const cronJob = selectedCronJob.value;
  const hasExisted = useRef(false);
  if (cronJob) hasExisted.current = true;
  return (
    <main id="main" tabIndex={-1} class="detail">
      <p>
        <Link to={{ cronJob: '', jobName: '', entryTime: '' }}>← All CronJobs</Link>
      </p>
      {cronJob === undefined ? (
        <CronJobNotFound
          name={view.value.cronJob}
          reason={
            hasExisted.current
              ? DELETED_MESSAGE
              : store.watch.value.kind === 'Reading'
                ? LOADING_MESSAGE
                : NOT_FOUND_MESSAGE
          }
        />
      ) : (
        <CronJobDetail cronJob={cronJob} />
      )}
    </main>
  );
}

const LOADING_MESSAGE = 'Loading CronJobs …';
const DELETED_MESSAGE = 'This CronJob was deleted.';
const NOT_FOUND_MESSAGE = 'CronJob not found. It does not exist, or this page does not show its namespace.';

function CronJobNotFound({ name, reason }: { readonly name: string; readonly reason: string }) {
  return (
    <>
      <h1>{name}</h1>
      <p class="empty" role="status">
        {reason}
      </p>
    </>
  );
}
