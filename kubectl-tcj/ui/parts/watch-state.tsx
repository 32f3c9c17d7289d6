import { usePage } from '../page.ts';

/** Warns when the page does not show the current state of the cluster. */
export function WatchState() {
  const { store, view } = usePage();
  const watch = store.watch.value;
  const { narrowedBecause, context = '' } = store.about.value ?? {};
  const meant = view.value.context;
  return (
    <div aria-live="polite">
      {watch.kind === 'Broken' && (
        <div class="notice bad">
          <p>{watch.message}</p>
          {watch.change !== undefined && <p>To do: {watch.change}</p>}
          {store.cronJobs.value.size > 0 && <p>What is shown is as it was before.</p>}
        </div>
      )}
      {meant !== '' && context !== '' && meant !== context && (
        <p class="notice bad">
          This link was made in the context {meant}; what is shown is of the context {context}.
        </p>
      )}
      {watch.kind !== 'Broken' && narrowedBecause !== undefined && <p class="notice">{narrowedBecause}</p>}
    </div>
  );
}
