/** CPU time and memory of processes, from /proc: Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

const CLOCK_TICKS_PER_SECOND = 100;

/** What a process and its children have used so far. */
export interface Usage {
  /** User and system time. */
  readonly cpuSeconds: number;
  /** Resident memory now, in MiB. */
  readonly residentMiB: number;
  /** Most resident memory since its start, in MiB. */
  readonly peakMiB: number;
}

export function readUsage(pid: number): Usage {
  const tree = listProcessTree(pid);
  return {
    cpuSeconds: sum(tree.map(({ cpuSeconds }) => cpuSeconds)),
    residentMiB: sum(tree.map((each) => readMemoryMiB(each.pid, 'VmRSS'))),
    peakMiB: sum(tree.map((each) => readMemoryMiB(each.pid, 'VmHWM'))),
  };
}

/** CPU seconds of the processes below `pid` that run the program of this name. */
export function readProgramCpuSeconds(pid: number, program: string): number {
  return sum(listProcessTree(pid).map((each) => (each.program === program ? each.cpuSeconds : 0)));
}

/** CPU seconds of all processors together since the start of the machine. */
export interface MachineTime {
  readonly busySeconds: number;
  readonly allSeconds: number;
}

export function readMachineTime(): MachineTime {
  const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const seconds = first
    .split(/\s+/)
    .slice(1, 9)
    .map((ticks) => Number(ticks) / CLOCK_TICKS_PER_SECOND);
  const [user = 0, nice = 0, system = 0] = seconds;
  return { busySeconds: user + nice + system, allSeconds: sum(seconds) };
}

interface ProcessStat {
  readonly pid: number;
  readonly program: string;
  readonly parent: number;
  /** Its own CPU time, and that of its ended children. */
  readonly cpuSeconds: number;
}

/** The process and its descendants. Empty when the process is gone. */
function listProcessTree(root: number): readonly ProcessStat[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((each) => each !== undefined);
  const tree = all.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid)); // the list grows during the loop
  return tree;
}

/** `undefined` when the process has ended meanwhile. */
function readStat(pid: number): ProcessStat | undefined {
  const stat = readFileIfExists(`/proc/${pid}/stat`);
  const nameEnd = stat.lastIndexOf(')'); // the name may contain anything
  if (nameEnd < 0) return undefined;
  const fields = stat.slice(nameEnd + 2).split(' ');
  const cpuTicks = sum(fields.slice(11, 15).map(Number));
  const program = stat.slice(stat.indexOf('(') + 1, nameEnd);
  return { pid, program, parent: Number(fields[1]), cpuSeconds: cpuTicks / CLOCK_TICKS_PER_SECOND };
}

function readMemoryMiB(pid: number, field: 'VmHWM' | 'VmRSS'): number {
  const found = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileIfExists(`/proc/${pid}/status`));
  return Number(found?.[1] ?? 0) / 1024;
}

function readFileIfExists(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
