import type { ComponentChildren } from 'preact';
import { addressOf } from '../model/navigation.ts';
import type { View } from '../model/view.ts';
import { usePage } from '../page.ts';

interface LinkProps {
  /** What is different on the page that it leads to. */
  readonly to: Partial<View>;
  readonly class?: string;
  readonly id?: string;
  readonly children: ComponentChildren;
}

/** To another view of this page: with the mouse's second button or a key it opens as any link does. */
export function Link({ to, children, ...rest }: LinkProps) {
  const { view, go } = usePage();
  const open = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a {...rest} href={addressOf({ ...view.value, ...to })} onClick={open}>
      {children}
    </a>
  );
}
