/** What every kind of schedule can tell. */

/** The instants a schedule produces, its slots. Each is a whole second. */
export interface Schedule {
  /** The first slot strictly after `after`; `undefined` when none comes within five years. */
  next(after: Date): Date | undefined;
  /** The last slot at or before `notAfter`; `undefined` when there was none within five years. */
  previous(notAfter: Date): Date | undefined;
  /** The slots in (after, until], oldest first, `limit` at the most. */
  between(after: Date, until: Date, limit: number): readonly Date[];
}

/** {@link Schedule.between}, for schedules that have no quicker way. */
export function slotsBetween(
  schedule: Pick<Schedule, 'next'>,
  after: Date,
  until: Date,
  limit: number,
): readonly Date[] {
  const slots: Date[] = [];
  let slot = schedule.next(after);
  while (slot !== undefined && slot <= until && slots.length < limit) {
    slots.push(slot);
    slot = schedule.next(slot);
  }
  return slots;
}
