/**
 * Keeps SIGUSR1 from opening Node's inspector. A client that reaches the inspector can run code as the operator, with
 * the rights of its ServiceAccount. Import it in the first line of a main file, because the signal may arrive at any
 * time:
 *
 *     import 'controller-runtime/no-inspector';
 *
 * A listener replaces Node's own, however the process is started. To cover the moment before this runs, also start the
 * process with `node --disable-sigusr1`.
 */
process.on('SIGUSR1', () => {});
