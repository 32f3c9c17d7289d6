/**
 * Handles rejected promises that the code does not await. By default, Node.js exits at the first unhandled rejection,
 * and the stack does not show the reconciled object. A missing `await` in one reconcile would stop the manager.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

type RejectionHandler = (error: unknown) => void;

const rejectionHandlerStorage = new AsyncLocalStorage<RejectionHandler>();

/**
 * Calls `callback` and returns its result. Calls `onRejection` if a promise that `callback` created, directly or in an
 * asynchronous call, rejects without a handler. Has an effect only after a call of {@link listenForRejections}.
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
