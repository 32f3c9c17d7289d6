/**
 * Keeps SIGUSR1 from opening the inspector, at which whoever reaches it runs code as the manager. A listener takes the place
 * of Node's own, however the process is started; the image says --disable-sigusr1 besides, for the moment before this runs.
 */
process.on('SIGUSR1', () => {});
