/**
 * For `node --import`: the wall clock of the process is ahead of the machine's by the milliseconds in the file that CLOCK_OFFSET_FILE names.
 * SIGUSR2 has the file read again. Timers and the steady clock are those of the machine, as when somebody sets its time.
 */
import { readFileSync } from 'node:fs';

const MachineDate = Date;
const file = process.env['CLOCK_OFFSET_FILE'] ?? '';
let offsetMs = 0;

class ShiftedDate extends MachineDate {
  // What `new Date` takes; its overloads are many.
  constructor(...given: readonly unknown[]) {
    super(...((given.length === 0 ? [ShiftedDate.now()] : given) as [number]));
  }

  static override now(): number {
    return MachineDate.now() + offsetMs;
  }
}

function set(): void {
  offsetMs = Number(readFileSync(file, 'utf8'));
  // Among the lines of the log, for whoever waits for it.
  process.stderr.write(`${JSON.stringify({ msg: 'clock set', offsetMs })}\n`);
}

set();
process.on('SIGUSR2', set);
globalThis.Date = ShiftedDate as DateConstructor;
