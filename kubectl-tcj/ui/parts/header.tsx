import { LOCAL_ZONE, usePageState } from '../page-state.ts';
import { CopyLink } from './copy-link.tsx';
import { Link } from './link.tsx';

export function Header() {
  const { store } = usePageState();
  const serverInfo = store.serverInfo.value;
  return (
    <header class="page-header">
      <Link to={{ cronJob: '', jobName: '', entryTime: '' }} class="home">
        CronJobs
      </Link>
      {serverInfo && (
        <p class="scope">
          <span>context {serverInfo.context}</span>
          <span>{serverInfo.namespace === undefined ? 'all namespaces' : `namespace ${serverInfo.namespace}`}</span>
        </p>
      )}
      <span class="spacer" />
      {LOCAL_ZONE === 'UTC' ? <span class="hint">Times in UTC</span> : <ZoneSelect />}
      <CopyLink />
    </header>
  );
}

function ZoneSelect() {
  const { view, replaceView } = usePageState();
  return (
    <label>
      <span class="visually-hidden">Time zone</span>
      <select
        value={view.value.zone}
        onChange={({ currentTarget: { value } }) => replaceView({ zone: value === 'utc' ? 'utc' : 'local' })}
      >
        <option value="local">{LOCAL_ZONE}</option>
        <option value="utc">UTC</option>
      </select>
    </label>
  );
}
