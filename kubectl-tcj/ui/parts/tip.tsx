import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

interface Shown {
  readonly text: string;
  /** Box of the described element, in the window. */
  readonly box: DOMRect;
}

/** Distance from the edges of the window. */
const MARGIN = 8;

/**
 * Describes the element under the mouse, from its `data-told`. It is only for users with a pointer: others get the same from the
 * label of the timeline and from the table of the runs. Stays while the mouse is on the element, and closes with Escape.
 */
export function Tip() {
  const shown = useSignal<Shown | undefined>(undefined);
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const hide = () => {
      shown.value = undefined;
    };
    const look = ({ target }: Event) => {
      if (!(target instanceof Element) || ref.current?.contains(target)) return;
      const told = target.closest<SVGElement>('[data-told]');
      const text = told?.dataset['told'];
      if (told && text !== undefined) shown.value = { text, box: told.getBoundingClientRect() };
      else if (shown.value !== undefined) hide();
    };
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') hide();
    };
    const stopping = new AbortController();
    const { signal } = stopping;
    document.addEventListener('pointerover', look, { signal });
    document.addEventListener('pointerdown', hide, { signal });
    document.addEventListener('keydown', onKey, { signal });
    addEventListener('scroll', hide, { passive: true, signal });
    return () => stopping.abort();
  }, [shown]);
  const now = shown.value;
  useLayoutEffect(() => {
    if (ref.current && now) place(ref.current, now.box);
  }, [now]);
  return now === undefined ? null : (
    <div class="tip" ref={ref} aria-hidden="true">
      {now.text}
    </div>
  );
}

/** Above the element, or below it without room above, because users read downwards and the next element stays visible. */
function place(tip: HTMLElement, box: DOMRect): void {
  const { width, height } = tip.getBoundingClientRect();
  const middle = box.left + box.width / 2 - width / 2;
  const left = Math.max(MARGIN, Math.min(middle, innerWidth - width - MARGIN));
  const top = box.top - height < MARGIN ? box.bottom : box.top - height;
  tip.style.left = `${left}px`;
  tip.style.top = `${top}px`;
}
