import { CRON_JOB_STATES, type CronJobState } from '../../plugin/report/cron-job-state.ts';
import { parseSelector } from '../model/label-selector.ts';
import { usePageState } from '../page-state.ts';
import { StateBadge } from '../parts/badges.tsx';
import { RangeControls } from './range-controls.tsx';

export function FilterBar() {
  const { view, navigate, replaceView, namespaces } = usePageState();
  const { searchText, namespace, labelSelector, shouldHideEmpty } = view.value;
  const isValidSelector = parseSelector(labelSelector) !== undefined;
  return (
    <form class="filters" role="search" aria-label="Filter CronJobs" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span>Name or schedule</span>
        <input
          type="search"
          value={searchText}
          onInput={({ currentTarget: { value } }) => replaceView({ searchText: value })}
        />
      </label>
      <label>
        <span>Namespace</span>
        <select value={namespace} onChange={({ currentTarget: { value } }) => navigate({ namespace: value })}>
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
          value={labelSelector}
          placeholder="team=data"
          aria-invalid={!isValidSelector}
          aria-describedby={isValidSelector ? undefined : 'labels-error'}
          onInput={({ currentTarget: { value } }) => replaceView({ labelSelector: value })}
        />
        {!isValidSelector && (
          <span class="error-text" id="labels-error">
            Not a valid label selector. Use the syntax of kubectl -l: team=data, stage!=test
          </span>
        )}
      </label>
      <RangeControls />
      <label class="check">
        <input
          type="checkbox"
          checked={shouldHideEmpty}
          onChange={({ currentTarget: { checked } }) => navigate({ shouldHideEmpty: checked })}
        />
        Only with runs in this time range
      </label>
      <StateFilter />
    </form>
  );
}

function StateFilter() {
  const { view, navigate, rows } = usePageState();
  const { states } = view.value;
  const { countByState } = rows.value;
  const shownStates = CRON_JOB_STATES.filter((each) => countByState.has(each) || states.includes(each));
  const toggle = (state: CronJobState) => {
    const isSelected = states.includes(state);
    navigate({ states: isSelected ? states.filter((each) => each !== state) : [...states, state] });
  };
  if (shownStates.length === 0) return null;
  return (
    <fieldset class="states">
      <legend>State</legend>
      {shownStates.map((state) => (
        <button type="button" key={state} aria-pressed={states.includes(state)} onClick={() => toggle(state)}>
          <StateBadge state={state} /> {countByState.get(state) ?? 0}
        </button>
      ))}
    </fieldset>
  );
}
