/** What Linux says about a process. */
import { readFile } from 'node:fs/promises';

const CLOCK_TICKS_PER_SECOND = 100;

interface Process {
  readonly pid: number;
}

/** Resident memory now, or at its peak. */
export async function memoryMiB({ pid }: Process, field: 'VmHWM' | 'VmRSS'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

/** Of user and system together, since it began. */
export async function cpuSeconds({ pid }: Process): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
}
