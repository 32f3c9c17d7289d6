/**
 * Handles rejected promises that the code does not await. By default, Node.js exits at the first unhandled rejection,
 * and the stack does not show the reconciled object. Without this module, a missing `await` in one reconcile would stop
 * the manager.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

type RejectionHandler = (error: unknown) => void;

const rejectionHandlerStorage = new AsyncLocalStorage<RejectionHandler>();

/**
 * Calls `callback` and returns its result. Calls `onRejection` for each unhandled rejection of a promise that
 * `callback` or one of its asynchronous calls has created. Has an effect only after a call of
 * {@link listenForRejections}.
 */
export function runWithRejectionHandler<R>(onRejection: RejectionHandler, callback: () => R): R {
  return rejectionHandlerStorage.run(onRejection, callback);
}

/**
 * Prevents unhandled rejections from stopping the process, until you call the returned function.
 * @param onUnhandledRejection Called for rejections outside of {@link runWithRejectionHandler}.
 */
export function listenForRejections(onUnhandledRejection: RejectionHandler): () => void {
  const listener = (error: unknown) => {
    const onRejection = rejectionHandlerStorage.getStore() ?? onUnhandledRejection;
    onRejection(error);
  };
  process.on('unhandledRejection', listener);
  return () => void process.off('unhandledRejection', listener);
}
