import { useSignal } from '@preact/signals';
import { formatUrl } from '../model/navigation.ts';
import { toSharedView } from '../model/view.ts';
import { usePageState } from '../page-state.ts';

const MESSAGE_DURATION_MS = 4000;

/** Copies a link to the current view. Only users who run `kubectl tcj ui` can open the link. */
export function CopyLink() {
  const { view, store } = usePageState();
  const message = useSignal('');
  const copyLink = async () => {
    const context = store.serverInfo.value?.context ?? '';
    const link = `${location.origin}${formatUrl(toSharedView(view.value, store.now.value.getTime(), context))}`;
    try {
      await navigator.clipboard.writeText(link);
      message.value = 'Link copied. To open it, run kubectl tcj ui first.';
    } catch {
      message.value = link;
    }
    setTimeout(() => {
      message.value = '';
    }, MESSAGE_DURATION_MS);
  };
  return (
    <span class="copy-link">
      <button type="button" onClick={() => void copyLink()}>
        Copy link
      </button>
      <output>{message.value}</output>
    </span>
  );
}
