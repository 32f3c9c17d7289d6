import { LOCAL_ZONE, usePage } from '../page.ts';
import { CopyLink } from './copy-link.tsx';
import { Link } from './link.tsx';

export function Header() {
  const { store } = usePage();
  const about = store.about.value;
  return (
    <header class="page-header">
      <Link to={{ cronJob: '', job: '', at: '' }} class="home">
        CronJobs
      </Link>
      {about && (
        <p class="where">
          <span>context {about.context}</span>
          <span>{about.namespace === undefined ? 'all namespaces' : `namespace ${about.namespace}`}</span>
        </p>
      )}
      <span class="room" />
      {LOCAL_ZONE === 'UTC' ? <span class="hint">Times in UTC</span> : <ZoneChooser />}
      <CopyLink />
    </header>
  );
}

function ZoneChooser() {
  const { view, refine } = usePage();
  return (
    <label>
      <span class="spoken">Zone of the times</span>
      <select
        value={view.value.zone}
        onChange={({ currentTarget: { value } }) => refine({ zone: value === 'utc' ? 'utc' : 'local' })}
      >
        <option value="local">{LOCAL_ZONE}</option>
        <option value="utc">UTC</option>
      </select>
    </label>
  );
}
