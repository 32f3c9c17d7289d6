import { useRef } from 'preact/hooks';
import { usePage } from '../page.ts';
import { Link } from '../parts/link.tsx';
import { Detail } from './detail.tsx';

/** One CronJob. */
export function DetailPage() {
  const { selected, view, store } = usePage();
  const cronJob = selected.value;
  const wasThere = useRef(false);
  if (cronJob) wasThere.current = true;
  return (
    <main id="main" tabIndex={-1} class="detail">
      <p>
        <Link to={{ cronJob: '', job: '', at: '' }}>← All CronJobs</Link>
      </p>
      {cronJob === undefined ? (
        <Absent
          name={view.value.cronJob}
          why={wasThere.current ? DELETED : store.watch.value.kind === 'Reading' ? READING : NOT_THERE}
        />
      ) : (
        <Detail cronJob={cronJob} />
      )}
    </main>
  );
}

const READING = 'Reading the CronJobs …';
const DELETED = 'It has been deleted.';
const NOT_THERE = 'There is no CronJob of this name, or none that you see here.';

function Absent({ name, why }: { readonly name: string; readonly why: string }) {
  return (
    <>
      <h1>{name}</h1>
      <p class="nothing" role="status">
        {why}
      </p>
    </>
  );
}
