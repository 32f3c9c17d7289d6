import { useEffect, useRef } from 'preact/hooks';
import { DetailPage } from './detail/detail-page.tsx';
import { ListPage } from './list/list-page.tsx';
import { usePageState } from './page-state.ts';
import { Header } from './parts/header.tsx';
import { Tooltip } from './parts/tooltip.tsx';
import { WatchState } from './parts/watch-state.tsx';

export function App() {
  const { view } = usePageState();
  const { cronJob } = view.value;
  const previous = useRef(cronJob);
  useEffect(() => {
    document.title = cronJob === '' ? 'CronJobs' : `${cronJob} – CronJobs`;
    if (previous.current === cronJob) return;
    if (cronJob !== '') scrollTo(0, 0);
    restoreFocus(previous.current);
    previous.current = cronJob;
  }, [cronJob]);
  return (
    <>
      <a class="skip-link" href="#main">
        Skip to main content
      </a>
      <Header />
      <WatchState />
      {cronJob === '' ? <ListPage /> : <DetailPage key={cronJob} />}
      <Tooltip />
    </>
  );
}

/**
 * Moves the focus when the focused link disappears with its page: to the row of the CronJob that was open, or to the main content,
 * unless that has the focus already.
 */
function restoreFocus(cronJob: string): void {
  const main = document.getElementById('main');
  if (main?.contains(document.activeElement)) return;
  const rows = [...document.querySelectorAll<HTMLElement>('.rows a')];
  const row = rows.find((link) => link.textContent === cronJob);
  (row ?? main)?.focus({ preventScroll: true });
}
