import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

interface Shown {
  readonly text: string;
  /** Of what it tells of, in the window. */
  readonly box: DOMRect;
}

/** From the edges of the window. */
const MARGIN = 8;

/**
 * Tells of what the mouse is on, from its `data-told`. For who points only: whoever does not is told by the label of the timeline, and in the
 * table of the runs. Stays while the mouse is on it, and goes with Escape.
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

/** Above, or below where there is no room: one reads downwards, and what comes next stays free. */
function place(tip: HTMLElement, box: DOMRect): void {
  const { width, height } = tip.getBoundingClientRect();
  const middle = box.left + box.width / 2 - width / 2;
  const left = Math.max(MARGIN, Math.min(middle, innerWidth - width - MARGIN));
  const top = box.top - height < MARGIN ? box.bottom : box.top - height;
  tip.style.left = `${left}px`;
  tip.style.top = `${top}px`;
}
