import { useSignal } from '@preact/signals';
import { parseLocalTime } from '../../plugin/report/time-of-day.ts';
import { createFixedRange, RANGE_HOURS, shiftRange } from '../model/view.ts';
import { usePageState } from '../page-state.ts';
import { formatDateTimeField } from '../parts/date-time-field.ts';

const RANGE_LABELS: Readonly<Record<(typeof RANGE_HOURS)[number], string>> = {
  1: '1 hour',
  6: '6 hours',
  24: '24 hours',
  72: '3 days',
  168: '7 days',
};
const CUSTOM_RANGE = 'custom';

/** Shows controls that set the time range to a number of hours around now or to a fixed range. */
export function RangeControls() {
  const { view, navigate, range, store, zone } = usePageState();
  const { rangeChoice } = view.value;
  const nowMs = store.now.value.getTime();
  const { fromMs, untilMs } = range.value;
  const selectRange = (value: string) => {
    const hours = RANGE_HOURS.find((choice) => String(choice) === value);
    navigate({ rangeChoice: hours === undefined ? createFixedRange(fromMs, untilMs) : { kind: 'Around', hours } });
  };
  return (
    <fieldset class="time-range">
      <legend class="visually-hidden">Time range</legend>
      <div class="steps">
        <span aria-hidden="true">Time range</span>
        <button
          type="button"
          aria-label="Earlier"
          onClick={() => navigate({ rangeChoice: shiftRange(rangeChoice, -0.5, nowMs) })}
        >
          ←
        </button>
        <select
          aria-label="Time range"
          value={rangeChoice.kind === 'Around' ? String(rangeChoice.hours) : CUSTOM_RANGE}
          onChange={({ currentTarget: { value } }) => selectRange(value)}
        >
          {RANGE_HOURS.map((hours) => (
            <option key={hours} value={String(hours)}>
              {RANGE_LABELS[hours]} around now
            </option>
          ))}
          <option value={CUSTOM_RANGE}>Custom</option>
        </select>
        <button
          type="button"
          aria-label="Later"
          onClick={() => navigate({ rangeChoice: shiftRange(rangeChoice, 0.5, nowMs) })}
        >
          →
        </button>
      </div>
      {rangeChoice.kind === 'Fixed' && (
        <>
          <DateField
            label="From"
            timeMs={fromMs}
            zone={zone.value}
            // If the new start is not before the end, the time range moves and keeps its length.
            onChange={(ms) =>
              navigate({ rangeChoice: createFixedRange(ms, ms < untilMs ? untilMs : ms + untilMs - fromMs) })
            }
          />
          <DateField
            label="Until"
            timeMs={untilMs}
            zone={zone.value}
            onChange={(ms) =>
              navigate({ rangeChoice: createFixedRange(ms > fromMs ? fromMs : ms - (untilMs - fromMs), ms) })
            }
          />
        </>
      )}
    </fieldset>
  );
}

interface DateFieldProps {
  readonly label: string;
  readonly timeMs: number;
  readonly zone: string;
  readonly onChange: (ms: number) => void;
}

function DateField({ label, timeMs, zone, onChange }: DateFieldProps) {
  /** The text that the user has not confirmed yet. */
  const draft = useSignal<string | undefined>(undefined);
  const commit = (text: string) => {
    draft.value = undefined;
    const instant = parseLocalTime(text, zone);
    if (instant !== undefined && text !== formatDateTimeField(new Date(timeMs), zone)) onChange(instant.getTime());
  };
  return (
    <label>
      <span>
        {label} ({zone})
      </span>
      <input
        type="datetime-local"
        value={draft.value ?? formatDateTimeField(new Date(timeMs), zone)}
        onInput={({ currentTarget: { value } }) => {
          draft.value = value;
        }}
        // The change applies on blur, because a partly typed year is a valid year.
        onBlur={({ currentTarget: { value } }) => commit(value)}
        onKeyDown={({ key, currentTarget: { value } }) => {
          if (key === 'Enter') commit(value);
        }}
      />
    </label>
  );
}
