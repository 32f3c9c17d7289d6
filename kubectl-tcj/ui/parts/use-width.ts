import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Returns the current width of an element in pixels, or 0 before the element exists. */
export function useWidth<T extends Element>(): { readonly ref: RefObject<T | null>; readonly width: number } {
  const ref = useRef<T>(null);
  const width = useSignal(0);
  useLayoutEffect(() => {
    if (ref.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      width.value = Math.floor(entry?.contentRect.width ?? 0);
    });
    observer.observe(ref.current);
    width.value = Math.floor(ref.current.getBoundingClientRect().width);
    return () => observer.disconnect();
  }, [width]);
  return { ref, width: width.value };
}
