/**
 * A bare Node process with the connections of a controller: the minimum of what a controller on Node can need. No TypeScript and no imports
 * of ours, because they would be part of the measurement.
 *
 *     plain-reader.mjs watch <path> <path>    keeps these watches open, and as many connections as a controller has after its first
 *                                             burst; discards the events
 *     plain-reader.mjs list <path> <path>     reads these lists once, page by page, and parses them
 */
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:https';
import { text } from 'node:stream/consumers';

const PAGE_SIZE = 500;
/** Number of requests that the manager has in flight. */
const CONNECTIONS = 64;
/** Number of requests that the manager has sent after it has written the first status of each of 1,000 CronJobs. */
const REQUESTS = 1000;

// Kubeconfigs that envtest-js writes: one cluster, one user, everything inline.
const kubeconfig = readFileSync(process.env.KUBECONFIG ?? '', 'utf8');
const field = (name) => new RegExp(`${name}: *"?([^"\\s]+)`).exec(kubeconfig)?.[1] ?? '';
const pem = (name) => Buffer.from(field(name), 'base64');
const server = field('server');
const agent = new Agent({
  keepAlive: true,
  maxFreeSockets: CONNECTIONS,
  ca: pem('certificate-authority-data'),
  cert: pem('client-certificate-data'),
  key: pem('client-key-data'),
});

function request(path) {
  return new Promise((resolve, reject) => {
    get(server + path, { agent }, resolve).on('error', reject);
  });
}

async function watch(path) {
  const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  const answer = await request(`${path}?${query}`);
  answer.resume();
}

/** Sends requests over all connections at once, and keeps the connections open. */
async function use(path) {
  for (let sent = 0; sent < REQUESTS; sent += CONNECTIONS) {
    const answers = Array.from({ length: CONNECTIONS }, async () => text(await request(`${path}?limit=1`)));
    await Promise.all(answers);
  }
}

async function list(path) {
  let [next, count] = ['', 0];
  do {
    const answer = await request(`${path}?limit=${PAGE_SIZE}&continue=${next}`);
    const page = JSON.parse(await text(answer));
    count += page.items.length;
    next = encodeURIComponent(page.metadata.continue ?? '');
  } while (next !== '');
  return count;
}

const [work, ...paths] = process.argv.slice(2);
if (work === 'watch') {
  await Promise.all(paths.map(watch));
  await use(paths[0]);
} else console.log('read everything', await Promise.all(paths.map(list)));
setInterval(() => {}, 60_000); // keeps the process alive for the measurement
