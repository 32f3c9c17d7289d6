/**
 * The least that a controller's first list takes: a bare Node that reads every CronJob and every Job, in pages of 500 over one
 * connection, and parses them. Run by startup.ts; prints what it took, as JSON.
 */
import { readFile } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { parse } from 'yaml';

const PATHS = ['/apis/batch.tutorial.kubebuilder.io/v1/cronjobs', '/apis/batch/v1/jobs'];
const PAGE = 500;

const kubeconfig = process.env['KUBECONFIG'];
if (!kubeconfig) throw new Error('KUBECONFIG is not set');
const { clusters, users } = parse(await readFile(kubeconfig, 'utf8'));
const { cluster } = clusters[0];
const { user } = users[0];
const decoded = (text: string) => Buffer.from(text, 'base64');
const agent = new Agent({
  keepAlive: true,
  maxSockets: 1,
  ca: decoded(cluster['certificate-authority-data']),
  cert: decoded(user['client-certificate-data']),
  key: decoded(user['client-key-data']),
});

async function page(path: string, next: string): Promise<{ count: number; next: string }> {
  const text = await new Promise<Buffer>((resolve, reject) => {
    const url = `${cluster.server}${path}?limit=${PAGE}&continue=${encodeURIComponent(next)}`;
    get(url, { agent }, (response) => void buffer(response).then(resolve, reject)).on('error', reject);
  });
  const list = JSON.parse(text.toString('utf8'));
  return { count: list.items.length, next: list.metadata.continue ?? '' };
}

let objects = 0;
for (const path of PATHS) {
  let next = '';
  do {
    const read = await page(path, next);
    objects += read.count;
    next = read.next;
  } while (next !== '');
}
agent.destroy();
const { userCPUTime, systemCPUTime } = process.resourceUsage();
// Both since the process began.
const took = { objects, wallMs: performance.now(), cpuMs: (userCPUTime + systemCPUTime) / 1000 };
console.log(JSON.stringify(took));
