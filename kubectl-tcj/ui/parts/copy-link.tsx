import { useSignal } from '@preact/signals';
import { addressOf } from '../model/navigation.ts';
import { forColleague } from '../model/view.ts';
import { usePage } from '../page.ts';

const SHOWN_MS = 4000;

/** Copies a link for a colleague, who opens it with the colleague's own `kubectl tcj ui` and rights. */
export function CopyLink() {
  const { view, store } = usePage();
  const said = useSignal('');
  const copy = async () => {
    const context = store.about.value?.context ?? '';
    const link = `${location.origin}${addressOf(forColleague(view.value, store.now.value.getTime(), context))}`;
    try {
      await navigator.clipboard.writeText(link);
      said.value = 'Copied. It opens for who runs kubectl tcj ui on a computer of their own.';
    } catch {
      said.value = link;
    }
    setTimeout(() => {
      said.value = '';
    }, SHOWN_MS);
  };
  return (
    <span class="copy-link">
      <button type="button" onClick={() => void copy()}>
        Copy link
      </button>
      <output>{said.value}</output>
    </span>
  );
}
