import { usePage } from '../page.ts';

/** Says when what is shown is not what the cluster has. */
export function WatchState() {
  const { store } = usePage();
  const watch = store.watch.value;
  const { narrowedBecause } = store.about.value ?? {};
  return (
    <div aria-live="polite">
      {watch.kind === 'Broken' && (
        <div class="notice bad">
          <p>{watch.message}</p>
          {watch.change !== undefined && <p>To do: {watch.change}</p>}
          {store.cronJobs.value.size > 0 && <p>What is shown is as it was before.</p>}
        </div>
      )}
      {watch.kind !== 'Broken' && narrowedBecause !== undefined && <p class="notice">{narrowedBecause}</p>}
    </div>
  );
}
