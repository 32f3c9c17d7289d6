/**
 * Preloaded into a manager that plays a Pod. The host name of a container is the name of its Pod, and the manager identifies its replicas
 * by that name. Only root could give a process of this machine its own host name, and on macOS not even root.
 */
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

const { HOSTNAME: name } = process.env; // as container runtimes set it
if (!name) throw new Error('HOSTNAME is not set; set it to the name of the Pod');
os.hostname = () => name;
syncBuiltinESMExports();
