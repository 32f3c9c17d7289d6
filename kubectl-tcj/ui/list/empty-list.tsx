import { DEFAULT_VIEW } from '../model/view.ts';
import { usePageState } from '../page-state.ts';
import { Link } from '../parts/link.tsx';

export function EmptyList() {
  const { allRows, store } = usePageState();
  const { serverInfo, watch } = store;
  if (watch.value.kind === 'Reading') return <p class="empty">Loading CronJobs …</p>;
  if (allRows.value.length > 0) {
    return (
      <p class="empty">
        None of the {allRows.value.length} CronJobs matches the filters. <Link to={DEFAULT_VIEW}>Clear filters</Link>
      </p>
    );
  }
  const scope = serverInfo.value?.namespace === undefined ? 'this cluster' : `namespace ${serverInfo.value.namespace}`;
  return (
    <div class="empty">
      <p>No CronJobs of this operator found in {scope}.</p>
      <p>
        Create one with <code>kubectl apply</code>, or import the CronJobs of batch/v1:{' '}
        <code>kubectl tcj import --all --dry-run</code>
      </p>
    </div>
  );
}
