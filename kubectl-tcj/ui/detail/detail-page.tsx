import { useRef } from 'preact/hooks';
import { usePageState } from '../page-state.ts';
import { Link } from '../parts/link.tsx';
import { Detail } from './detail.tsx';

export function DetailPage() {
  const { selectedCronJob, view, store } = usePageState();
  const cronJob = selectedCronJob.value;
  const hasExisted = useRef(false);
  if (cronJob) hasExisted.current = true;
  return (
    <main id="main" tabIndex={-1} class="detail">
      <p>
        <Link to={{ cronJob: '', job: '', entryTime: '' }}>← All CronJobs</Link>
      </p>
      {cronJob === undefined ? (
        <CronJobNotFound
          name={view.value.cronJob}
          reason={hasExisted.current ? DELETED : store.watch.value.kind === 'Reading' ? LOADING : NOT_FOUND}
        />
      ) : (
        <Detail cronJob={cronJob} />
      )}
    </main>
  );
}

const LOADING = 'Loading CronJobs …';
const DELETED = 'This CronJob was deleted.';
const NOT_FOUND = 'CronJob not found. It does not exist, or this page does not show its namespace.';

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
