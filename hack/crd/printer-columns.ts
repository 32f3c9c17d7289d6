/** Columns of `kubectl get`, in order; kubectl prints the names in capitals. */
export interface PrinterColumn {
  readonly name: string;
  /** `date` prints how long ago it was, and `<invalid>` for the future. */
  readonly type: 'boolean' | 'date' | 'integer' | 'string';
  readonly jsonPath: string;
  /** Above 0: only with `-o wide`. */
  readonly priority?: number;
  readonly description?: string;
}

export const PRINTER_COLUMNS: readonly PrinterColumn[] = [
  { name: 'Schedule', type: 'string', jsonPath: '.spec.schedule' },
  { name: 'Timezone', type: 'string', jsonPath: '.spec.timeZone', priority: 1, description: 'UTC when empty.' },
  { name: 'Suspend', type: 'boolean', jsonPath: '.spec.suspend' },
  { name: 'Active', type: 'integer', jsonPath: '.status.activeCount' },
  { name: 'Last Schedule', type: 'date', jsonPath: '.status.lastScheduleTime' },
  { name: 'Next Schedule', type: 'string', jsonPath: '.status.nextScheduleTime' },
  { name: 'Last Result', type: 'string', jsonPath: '.status.lastRun.result' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];
