/**
 * For `node --import`: the wall clock of the process is ahead of the machine's by CLOCK_OFFSET_MS milliseconds. Timers and the steady clock
 * are not changed.
 */
const MachineDate = Date;
const offsetMs = Number(process.env['CLOCK_OFFSET_MS']);

class ShiftedDate extends MachineDate {
  // The arguments of `new Date`, which has many overloads.
  constructor(...args: readonly unknown[]) {
    super(...((args.length === 0 ? [ShiftedDate.now()] : args) as [number]));
  }

  static override now(): number {
    return MachineDate.now() + offsetMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
