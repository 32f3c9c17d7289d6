import type { ComponentChildren } from 'preact';
import { formatUrl } from '../model/navigation.ts';
import type { View } from '../model/view.ts';
import { usePageState } from '../page-state.ts';

interface LinkProps {
  /** The changes that the link makes to the current view. */
  readonly to: Partial<View>;
  readonly class?: string;
  readonly id?: string;
  readonly children: ComponentChildren;
}

/** A link to another view of this page. A click with a modifier key opens a new tab or window, as usual. */
export function Link({ to, children, ...rest }: LinkProps) {
  const { view, navigate } = usePageState();
  const open = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a {...rest} href={formatUrl({ ...view.value, ...to })} onClick={open}>
      {children}
    </a>
  );
}
