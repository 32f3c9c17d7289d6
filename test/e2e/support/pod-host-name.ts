/**
 * Preloaded into a manager that plays a Pod. A container is named after its Pod, and the manager tells its replicas apart by
 * that name. Only root could give a process of this machine a name of its own, and on macOS nobody.
 */
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

const { HOSTNAME: name } = process.env; // as container runtimes set it
if (!name) throw new Error('HOSTNAME is not set: the name of the Pod');
os.hostname = () => name;
syncBuiltinESMExports();
