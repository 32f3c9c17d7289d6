import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface ConfirmDialogProps {
  readonly title: string;
  /** On the button. */
  readonly verb: string;
  /** What will happen, in sentences, and what may be chosen. */
  readonly children: ComponentChildren;
  /** Absent: nothing can be done. */
  readonly act?: (() => void) | undefined;
  readonly close: () => void;
}

/** Says what will happen before it does. Escape and Cancel leave everything as it is. */
export function ConfirmDialog({ title, verb, children, act, close }: ConfirmDialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => ref.current?.showModal(), []);
  return (
    <dialog ref={ref} onClose={close} aria-labelledby="dialog-title">
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          act?.();
          ref.current?.close();
        }}
      >
        <h2 id="dialog-title">{title}</h2>
        {children}
        <div class="buttons">
          {act && (
            <button type="submit" class="primary">
              {verb}
            </button>
          )}
          <button type="button" onClick={() => ref.current?.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
