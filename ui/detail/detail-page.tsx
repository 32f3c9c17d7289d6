import { usePage } from '../page.ts';
import { Link } from '../parts/link.tsx';
import { Detail } from './detail.tsx';

/** One CronJob. */
export function DetailPage() {
  const { selected, view, store } = usePage();
  const cronJob = selected.value;
  return (
    <main id="main" tabIndex={-1} class="detail">
      <p>
        <Link to={{ cronJob: '', job: '' }}>← All CronJobs</Link>
      </p>
      {cronJob === undefined ? (
        <Absent name={view.value.cronJob} isReading={store.watch.value.kind === 'Reading'} />
      ) : (
        <Detail cronJob={cronJob} />
      )}
    </main>
  );
}

function Absent({ name, isReading }: { readonly name: string; readonly isReading: boolean }) {
  return (
    <>
      <h1>{name}</h1>
      <p class="nothing">
        {isReading ? 'Reading the CronJobs …' : 'There is no CronJob of this name, or none that you see here.'}
      </p>
    </>
  );
}
