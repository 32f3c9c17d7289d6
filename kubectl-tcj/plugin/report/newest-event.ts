import { parseTime } from '../../../api/time.ts';
import type { JobEvent } from '../logs/job-events.ts';

export function newestOf(events: readonly JobEvent[]): JobEvent | undefined {
  const timeOf = ({ lastTimestamp, eventTime }: JobEvent) => parseTime(lastTimestamp ?? eventTime)?.getTime() ?? 0;
  return events.toSorted((left, right) => timeOf(left) - timeOf(right)).at(-1);
}
