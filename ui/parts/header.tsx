import { usePage } from '../page.ts';
import { CopyLink } from './copy-link.tsx';
import { Link } from './link.tsx';

export function Header() {
  const { store, view, refine, zone } = usePage();
  const about = store.about.value;
  return (
    <header class="page-header">
      <Link to={{ cronJob: '', job: '' }} class="home">
        CronJobs
      </Link>
      {about && (
        <p class="where">
          <span>context {about.context}</span>
          <span>{about.namespace === undefined ? 'all namespaces' : `namespace ${about.namespace}`}</span>
        </p>
      )}
      <span class="room" />
      <label>
        <span class="spoken">Zone of the times</span>
        <select
          value={view.value.zone}
          onChange={({ currentTarget: { value } }) => refine({ zone: value === 'utc' ? 'utc' : 'local' })}
        >
          <option value="local">{view.value.zone === 'local' ? zone.value : 'Local time'}</option>
          <option value="utc">UTC</option>
        </select>
      </label>
      <CopyLink />
    </header>
  );
}
