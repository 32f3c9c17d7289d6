import { DEFAULT_VIEW } from '../model/view.ts';
import { usePage } from '../page.ts';
import { Link } from '../parts/link.tsx';

/** Explains why the list is empty, and the remedy. */
export function NothingListed() {
  const { all, store } = usePage();
  const { about, watch } = store;
  if (watch.value.kind === 'Reading') return <p class="nothing">Reading the CronJobs …</p>;
  if (all.value.length > 0) {
    return (
      <p class="nothing">
        None of the {all.value.length} CronJobs fits. <Link to={DEFAULT_VIEW}>Show all</Link>
      </p>
    );
  }
  const where = about.value?.namespace === undefined ? 'this cluster' : `the namespace ${about.value.namespace}`;
  return (
    <div class="nothing">
      <p>There is no CronJob of this operator in {where}.</p>
      <p>
        Create one with <code>kubectl apply</code>, or bring those of Kubernetes over:{' '}
        <code>kubectl tcj import --all --dry-run</code>
      </p>
    </div>
  );
}
