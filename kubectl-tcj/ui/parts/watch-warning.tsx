import { usePageState } from '../page-state.ts';

/** Warns when the page does not show the current state of the cluster. */
export function WatchWarning() {
  const { store, view } = usePageState();
  const watch = store.watch.value;
  const { narrowedBecause, context = '' } = store.serverInfo.value ?? {};
  const linkContext = view.value.context;
  return (
    <div aria-live="polite">
      {watch.kind === 'Broken' && (
        <div class="notice error">
          <p>{watch.message}</p>
          {watch.change !== undefined && <p>To do: {watch.change}</p>}
          {store.cronJobs.value.size > 0 && <p>This page shows the last known state.</p>}
        </div>
      )}
      {linkContext !== '' && context !== '' && linkContext !== context && (
        <p class="notice error">
          This link is for the context {linkContext}, but this page shows the context {context}.
        </p>
      )}
      {watch.kind !== 'Broken' && narrowedBecause !== undefined && <p class="notice">{narrowedBecause}</p>}
    </div>
  );
}
