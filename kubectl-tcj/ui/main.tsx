import { render } from 'preact';
import { App } from './app.tsx';
import { createClusterStore } from './cluster/cluster-store.ts';
import { fetchServerInfo, RequestError } from './cluster/requests.ts';
import { receiveEventsWhileVisible } from './cluster/server-events.ts';
import { createPageState, PageContext } from './page-state.ts';
import './style/index.css';

/** The interval at which the page updates the current time. */
const CLOCK_INTERVAL_MS = 5000;

const store = createClusterStore(new Date());
const root = document.getElementById('page');
if (root === null) throw new Error('index.html has no element "page"');
render(
  <PageContext.Provider value={createPageState(store)}>
    <App />
  </PageContext.Provider>,
  root,
);

setInterval(() => {
  if (!document.hidden) store.now.value = new Date();
}, CLOCK_INTERVAL_MS);
document.addEventListener('visibilitychange', () => {
  store.now.value = new Date();
});

async function startPage(): Promise<void> {
  try {
    store.serverInfo.value = await fetchServerInfo();
    receiveEventsWhileVisible(store);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const { message, change } = error;
    store.watch.value = { kind: 'Broken', reason: 'Unreachable', message, ...(change !== undefined && { change }) };
  }
}

void startPage();
