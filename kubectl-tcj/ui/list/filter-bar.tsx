import { STANDINGS, type Standing } from '../../plugin/report/standing.ts';
import { selectorOf } from '../model/labels.ts';
import { usePage } from '../page.ts';
import { StandingBadge } from '../parts/signs.tsx';
import { SpanControls } from './span-controls.tsx';

/** The filters of the list, and the shown time. */
export function FilterBar() {
  const { view, go, refine, namespaces } = usePage();
  const { text, namespace, labels, isBusyOnly } = view.value;
  const isSelector = selectorOf(labels) !== undefined;
  return (
    <form class="filters" role="search" aria-label="CronJobs" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span>Name or schedule</span>
        <input type="search" value={text} onInput={({ currentTarget: { value } }) => refine({ text: value })} />
      </label>
      <label>
        <span>Namespace</span>
        <select value={namespace} onChange={({ currentTarget: { value } }) => go({ namespace: value })}>
          <option value="">All</option>
          {[...new Set([...namespaces.value, ...(namespace === '' ? [] : [namespace])])].map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Labels</span>
        <input
          value={labels}
          placeholder="team=data"
          aria-invalid={!isSelector}
          aria-describedby={isSelector ? undefined : 'labels-fault'}
          onInput={({ currentTarget: { value } }) => refine({ labels: value })}
        />
        {!isSelector && (
          <span class="fault" id="labels-fault">
            Write it as for kubectl -l: team=data, stage!=test
          </span>
        )}
      </label>
      <SpanControls />
      <label class="check">
        <input
          type="checkbox"
          checked={isBusyOnly}
          onChange={({ currentTarget: { checked } }) => go({ isBusyOnly: checked })}
        />
        Only with runs in this time
      </label>
      <Standings />
    </form>
  );
}

function Standings() {
  const { view, go, rows } = usePage();
  const { standings } = view.value;
  const { counts } = rows.value;
  const offered = STANDINGS.filter((each) => counts.has(each) || standings.includes(each));
  const toggle = (standing: Standing) => {
    const isOn = standings.includes(standing);
    go({ standings: isOn ? standings.filter((each) => each !== standing) : [...standings, standing] });
  };
  if (offered.length === 0) return null;
  return (
    <fieldset class="standings">
      <legend>State</legend>
      {offered.map((standing) => (
        <button
          type="button"
          key={standing}
          aria-pressed={standings.includes(standing)}
          onClick={() => toggle(standing)}
        >
          <StandingBadge standing={standing} /> {counts.get(standing) ?? 0}
        </button>
      ))}
    </fieldset>
  );
}
