/**
 * Prevents SIGUSR1 from opening the inspector of Node.js. A client of the inspector can run code with the permissions of the
 * operator's ServiceAccount. Import this module in the first line of a main file, because the signal may arrive at any time:
 *
 *     import 'controller-runtime/no-inspector';
 *
 * A listener for the signal replaces the listener of Node.js. To also protect the process before this import, start it with `node
 * --disable-sigusr1`.
 */
process.on('SIGUSR1', () => {});
