import { render } from 'preact';
import { App } from './app.tsx';
import { listenWhileSeen } from './cluster/events.ts';
import { about, RequestError } from './cluster/requests.ts';
import { createStore } from './cluster/store.ts';
import { createPage, PageContext } from './page.ts';
import './style/index.css';

/** Interval at which the line for now moves. */
const TICK_MS = 5000;

const store = createStore(new Date());
const root = document.getElementById('page');
if (root === null) throw new Error('index.html has no element "page"');
render(
  <PageContext.Provider value={createPage(store)}>
    <App />
  </PageContext.Provider>,
  root,
);

setInterval(() => {
  if (!document.hidden) store.now.value = new Date();
}, TICK_MS);
document.addEventListener('visibilitychange', () => {
  store.now.value = new Date();
});

async function start(): Promise<void> {
  try {
    store.about.value = await about();
    listenWhileSeen(store);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const { message, change } = error;
    store.watch.value = { kind: 'Broken', reason: 'Unreachable', message, ...(change !== undefined && { change }) };
  }
}

void start();
