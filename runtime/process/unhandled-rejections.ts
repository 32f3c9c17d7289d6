/**
 * Handles rejected promises that no code awaits. Node ends the process at the first one, with a stack that names no
 * object: one forgotten `await` in one pass would stop the whole manager.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

type OnRejection = (error: unknown) => void;

/** Follows the asynchronous calls of the current work; holds no other state. */
const owner = new AsyncLocalStorage<OnRejection>();

/**
 * Calls `work` and returns its result. `work` owns the promises that it starts and does not await: when such a promise
 * rejects, even after the work has ended, `onRejection` is called, and the process continues. In effect while {@link
 * listenForRejections} is active.
 */
export function ownRejections<R>(onRejection: OnRejection, work: () => R): R {
  return owner.run(onRejection, work);
}

/**
 * Prevents unhandled rejections from ending the process, until the returned function is called.
 * @param onUnowned Called for rejections without an owner.
 */
export function listenForRejections(onUnowned: OnRejection): () => void {
  const listener = (error: unknown) => {
    const onRejection = owner.getStore() ?? onUnowned;
    onRejection(error);
  };
  process.on('unhandledRejection', listener);
  return () => void process.off('unhandledRejection', listener);
}
