/**
 * Keeps SIGUSR1 from opening Node's inspector, at which whoever reaches it runs code as the operator, with the rights of its
 * ServiceAccount. For the first line of a main file, as the signal may come at any time:
 *
 *     import 'controller-runtime/no-inspector';
 *
 * A listener takes the place of Node's own, however the process is started. For the moment before this runs, start it with
 * `node --disable-sigusr1` besides.
 */
process.on('SIGUSR1', () => {});
