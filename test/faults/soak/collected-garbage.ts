/** For `node --import`: collects all garbage of the process every few seconds, so that its heap size shows the memory in use. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const EVERY_MS = 5_000;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
setInterval(collect, EVERY_MS).unref();
