import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

interface TooltipContent {
  readonly text: string;
  /** The position of the described element in the window. */
  readonly elementBox: DOMRect;
}

/** The minimum distance from the edges of the window. */
const MARGIN_PX = 8;

/**
 * Shows the `data-tooltip` text of the element under the mouse. Users without a mouse find the same text in the label of the
 * timeline and in the table of runs. Escape closes the tooltip.
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
      if (element && text !== undefined) content.value = { text, elementBox: element.getBoundingClientRect() };
      else if (content.value !== undefined) hide();
    };
    const hideOnEscape = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') hide();
    };
    const controller = new AbortController();
    const { signal } = controller;
    document.addEventListener('pointerover', show, { signal });
    document.addEventListener('pointerdown', hide, { signal });
    document.addEventListener('keydown', hideOnEscape, { signal });
    addEventListener('scroll', hide, { passive: true, signal });
    return () => controller.abort();
  }, [content]);
  const currentContent = content.value;
  useLayoutEffect(() => {
    if (ref.current && currentContent) positionTooltip(ref.current, currentContent.elementBox);
  }, [currentContent]);
  return currentContent === undefined ? null : (
    <div class="tooltip" ref={ref} aria-hidden="true">
      {currentContent.text}
    </div>
  );
}

/** Places the tooltip above the element, or below the element if the space above is too small. */
function positionTooltip(tooltip: HTMLElement, elementBox: DOMRect): void {
  const { width, height } = tooltip.getBoundingClientRect();
  const centeredLeft = elementBox.left + elementBox.width / 2 - width / 2;
  const left = Math.max(MARGIN_PX, Math.min(centeredLeft, innerWidth - width - MARGIN_PX));
  const top = elementBox.top - height < MARGIN_PX ? elementBox.bottom : elementBox.top - height;
  tooltip.style.left = `${left}px`;
  tooltip.style.top = `${top}px`;
}
