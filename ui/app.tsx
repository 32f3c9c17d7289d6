import { useEffect } from 'preact/hooks';
import { DetailPage } from './detail/detail-page.tsx';
import { ListPage } from './list/list-page.tsx';
import { usePage } from './page.ts';
import { Header } from './parts/header.tsx';
import { WatchState } from './parts/watch-state.tsx';

export function App() {
  const { view } = usePage();
  const { cronJob } = view.value;
  useEffect(() => {
    document.title = cronJob === '' ? 'CronJobs' : `${cronJob} – CronJobs`;
    if (cronJob !== '') scrollTo(0, 0);
  }, [cronJob]);
  return (
    <>
      <a class="skip-link" href="#main">
        To the content
      </a>
      <Header />
      <WatchState />
      {cronJob === '' ? <ListPage /> : <DetailPage key={cronJob} />}
    </>
  );
}
