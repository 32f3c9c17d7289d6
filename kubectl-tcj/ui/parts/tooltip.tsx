import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

interface TooltipContent {
  readonly text: string;
  /** Box of the described element, in the window. */
  readonly box: DOMRect;
}

/** Distance from the edges of the window. */
const MARGIN_PX = 8;

/**
 * Describes the element under the mouse, from its `data-tooltip`. It is only for users with a pointer: others get the same from the
 * label of the timeline and from the table of the runs. Stays while the mouse is on the element, and closes with Escape.
 */
export function Tooltip() {
  const content = useSignal<TooltipContent | undefined>(undefined);
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const hide = () => {
      content.value = undefined;
    };
    const show = ({ target }: Event) => {
      if (!(target instanceof Element) || ref.current?.contains(target)) return;
      const element = target.closest<SVGElement>('[data-tooltip]');
      const text = element?.dataset['tooltip'];
      if (element && text !== undefined) content.value = { text, box: element.getBoundingClientRect() };
      else if (content.value !== undefined) hide();
    };
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') hide();
    };
    const controller = new AbortController();
    const { signal } = controller;
    document.addEventListener('pointerover', show, { signal });
    document.addEventListener('pointerdown', hide, { signal });
    document.addEventListener('keydown', onKey, { signal });
    addEventListener('scroll', hide, { passive: true, signal });
    return () => controller.abort();
  }, [content]);
  const current = content.value;
  useLayoutEffect(() => {
    if (ref.current && current) positionTooltip(ref.current, current.box);
  }, [current]);
  return current === undefined ? null : (
    <div class="tooltip" ref={ref} aria-hidden="true">
      {current.text}
    </div>
  );
}

/** Above the element, or below it without room above, because users read downwards and the next element stays visible. */
function positionTooltip(tooltip: HTMLElement, box: DOMRect): void {
  const { width, height } = tooltip.getBoundingClientRect();
  const middle = box.left + box.width / 2 - width / 2;
  const left = Math.max(MARGIN_PX, Math.min(middle, innerWidth - width - MARGIN_PX));
  const top = box.top - height < MARGIN_PX ? box.bottom : box.top - height;
  tooltip.style.left = `${left}px`;
  tooltip.style.top = `${top}px`;
}
