/**
 * Promises that reject and that nobody awaits. Node ends the process at the first one, with a stack that names no object: one
 * forgotten `await` in one pass would take down all that the manager does.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

type OnRejection = (error: unknown) => void;

/** Travels along with what the work under way starts; holds nothing by itself. */
const owner = new AsyncLocalStorage<OnRejection>();

/**
 * Calls `work`, and returns what that returns. What it starts and nobody awaits is its own: when that rejects, even after the work
 * has ended, `onRejection` is told, and the process goes on. In effect while somebody {@link listenForRejections}.
 */
export function ownRejections<R>(onRejection: OnRejection, work: () => R): R {
  return owner.run(onRejection, work);
}

/** Keeps unhandled rejections from ending the process, until the function that is returned is called. @param onNobodys Told of those without an owner. */
export function listenForRejections(onNobodys: OnRejection): () => void {
  const listener = (error: unknown) => {
    const onRejection = owner.getStore() ?? onNobodys;
    onRejection(error);
  };
  process.on('unhandledRejection', listener);
  return () => void process.off('unhandledRejection', listener);
}
