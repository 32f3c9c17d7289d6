import { useSignal } from '@preact/signals';
import { instantOf } from '../../plugin/report/time-of-day.ts';
import { fixedSpan, HOURS, moved } from '../model/view.ts';
import { usePage } from '../page.ts';
import { fieldValue } from '../parts/date-field.ts';

const NAMES: Readonly<Record<(typeof HOURS)[number], string>> = {
  1: '1 hour',
  6: '6 hours',
  24: '24 hours',
  72: '3 days',
  168: '7 days',
};
const CHOSEN = 'chosen';

/** Controls for the shown time: some hours around now, or from one time to another. */
export function SpanControls() {
  const { view, go, range, store, zone } = usePage();
  const { span } = view.value;
  const nowMs = store.now.value.getTime();
  const { fromMs, untilMs } = range.value;
  const choose = (value: string) => {
    const hours = HOURS.find((each) => String(each) === value);
    go({ span: hours === undefined ? fixedSpan(fromMs, untilMs) : { kind: 'Around', hours } });
  };
  return (
    <fieldset class="span">
      <legend class="spoken">Time</legend>
      <div class="steps">
        <span aria-hidden="true">Time</span>
        <button type="button" aria-label="Earlier" onClick={() => go({ span: moved(span, -0.5, nowMs) })}>
          ←
        </button>
        <select
          aria-label="Time that is shown"
          value={span.kind === 'Around' ? String(span.hours) : CHOSEN}
          onChange={({ currentTarget: { value } }) => choose(value)}
        >
          {HOURS.map((hours) => (
            <option key={hours} value={String(hours)}>
              {NAMES[hours]} around now
            </option>
          ))}
          <option value={CHOSEN}>From … until …</option>
        </select>
        <button type="button" aria-label="Later" onClick={() => go({ span: moved(span, 0.5, nowMs) })}>
          →
        </button>
      </div>
      {span.kind === 'Fixed' && (
        <>
          <DateField
            label="From"
            ms={fromMs}
            zone={zone.value}
            // The shown time keeps its length.
            onChange={(ms) => go({ span: fixedSpan(ms, ms < untilMs ? untilMs : ms + untilMs - fromMs) })}
          />
          <DateField
            label="Until"
            ms={untilMs}
            zone={zone.value}
            onChange={(ms) => go({ span: fixedSpan(ms > fromMs ? fromMs : ms - (untilMs - fromMs), ms) })}
          />
        </>
      )}
    </fieldset>
  );
}

interface DateFieldProps {
  readonly label: string;
  readonly ms: number;
  readonly zone: string;
  readonly onChange: (ms: number) => void;
}

function DateField({ label, ms, zone, onChange }: DateFieldProps) {
  /** The text of the field until it is applied. */
  const draft = useSignal<string | undefined>(undefined);
  const read = (text: string) => {
    draft.value = undefined;
    const instant = instantOf(text, zone);
    if (instant !== undefined && text !== fieldValue(new Date(ms), zone)) onChange(instant.getTime());
  };
  return (
    <label>
      <span>
        {label} ({zone})
      </span>
      <input
        type="datetime-local"
        value={draft.value ?? fieldValue(new Date(ms), zone)}
        onInput={({ currentTarget: { value } }) => {
          draft.value = value;
        }}
        // Not on each digit: a partly typed year is another year.
        onBlur={({ currentTarget: { value } }) => read(value)}
        onKeyDown={({ key, currentTarget: { value } }) => {
          if (key === 'Enter') read(value);
        }}
      />
    </label>
  );
}
