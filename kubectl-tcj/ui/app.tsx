import { useEffect, useRef } from 'preact/hooks';
import { DetailPage } from './detail/detail-page.tsx';
import { ListPage } from './list/list-page.tsx';
import { usePageState } from './page-state.ts';
import { Header } from './parts/header.tsx';
import { Tooltip } from './parts/tooltip.tsx';
import { WatchWarning } from './parts/watch-warning.tsx';

export function App() {
  const { view } = usePageState();
  const { cronJob } = view.value;
  const previousCronJob = useRef(cronJob);
  useEffect(() => {
    document.title = cronJob === '' ? 'CronJobs' : `${cronJob} – CronJobs`;
    if (previousCronJob.current === cronJob) return;
    if (cronJob !== '') scrollTo(0, 0);
    restoreFocus(previousCronJob.current);
    previousCronJob.current = cronJob;
  }, [cronJob]);
  return (
    <>
      <a class="skip-link" href="#main">
        Skip to main content
      </a>
      <Header />
      <WatchWarning />
      {cronJob === '' ? <ListPage /> : <DetailPage key={cronJob} />}
      <Tooltip />
    </>
  );
}

/**
 * After a page change, moves the focus to the row of the closed CronJob, or to the main content if there is no such
 * row.
 */
function restoreFocus(cronJob: string): void {
  const main = document.getElementById('main');
  if (main?.contains(document.activeElement)) return;
  const rows = [...document.querySelectorAll<HTMLElement>('.rows a')];
  const row = rows.find((link) => link.textContent === cronJob);
  (row ?? main)?.focus({ preventScroll: true });
}
