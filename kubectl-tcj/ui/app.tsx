import { useEffect, useRef } from 'preact/hooks';
import { DetailPage } from './detail/detail-page.tsx';
import { ListPage } from './list/list-page.tsx';
import { usePage } from './page.ts';
import { Header } from './parts/header.tsx';
import { Tip } from './parts/tip.tsx';
import { WatchState } from './parts/watch-state.tsx';

export function App() {
  const { view } = usePage();
  const { cronJob } = view.value;
  const before = useRef(cronJob);
  useEffect(() => {
    document.title = cronJob === '' ? 'CronJobs' : `${cronJob} – CronJobs`;
    if (before.current === cronJob) return;
    if (cronJob !== '') scrollTo(0, 0);
    focusAfter(before.current);
    before.current = cronJob;
  }, [cronJob]);
  return (
    <>
      <a class="skip-link" href="#main">
        To the content
      </a>
      <Header />
      <WatchState />
      {cronJob === '' ? <ListPage /> : <DetailPage key={cronJob} />}
      <Tip />
    </>
  );
}

/**
 * Moves the focus when the focused link disappears with its page: to the row of the CronJob that was open, or to the content,
 * unless the content has the focus already.
 */
function focusAfter(cronJob: string): void {
  const main = document.getElementById('main');
  if (main?.contains(document.activeElement)) return;
  const rows = [...document.querySelectorAll<HTMLElement>('.rows a')];
  const left = rows.find((link) => link.textContent === cronJob);
  (left ?? main)?.focus({ preventScroll: true });
}
