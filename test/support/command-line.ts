/** Command lines of the programs under test/. Errors name the valid values. */

/** The options in the arguments of this process. Exits after `--help`, and with 2 for invalid arguments. */
export function readCommandLine<T>(name: string, usage: string, parse: (args: readonly string[]) => T): T {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  try {
    return parse(args);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${name}: ${reason}\nsee --help for all flags\n`);
    process.exit(2);
  }
}

/** Names separated by commas. */
export function parseChoices<T extends string>(flag: string, text: string, choices: readonly T[]): readonly T[] {
  return text.split(',').map((name) => {
    const names = choices.find((each) => each === name);
    if (names === undefined) throw new Error(`--${flag}: "${name}" is not valid: give some of ${choices.join(', ')}`);
    return names;
  });
}

export function parseWholeNumber(flag: string, text: string, [min, max]: readonly [number, number] = [1, 1e6]): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new Error(`--${flag}: "${text}" is not valid: give a whole number from ${min} to ${max}`);
  }
  return value;
}
