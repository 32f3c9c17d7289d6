/**
 * The faults in test/planted: small mistakes in the code of the manager, to see which tests find them. Each is one file: what was
 * changed, who suffers from it, and the diff for `git apply`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PlantedFault {
  /** That of the file without its ending, such as `01-random-job-name`. */
  readonly name: string;
  /** Path of the patch. */
  readonly path: string;
  /** What was changed, in one sentence. */
  readonly fault: string;
  /** What a user suffers, and when, in one sentence. */
  readonly harm: string;
}

/** A larger change is no small mistake. */
const MAX_CHANGED_LINES = 15;

const NAME = /^(?<number>\d\d)-[a-z]+(-[a-z]+)*$/;
const ENDING = '.patch';
const HEAD = /^Fault: (?<fault>\S.*\.)\nHarm: (?<harm>\S.*\.)\n\n(?=diff --git )/;
const OF_THE_MANAGER = /^(api|cmd|controllers|runtime|schedule)\/(?!.*\.test\.ts$).+\.ts$/;

/** By number. Throws an Error that names the file and says what is wrong with it. */
export function readPlantedFaults(folder: string): readonly PlantedFault[] {
  const names = readdirSync(folder).sort();
  const faults = names.map((name) => readFault(folder, name));
  const twice = faults.find(({ name }, index) => faults[index - 1]?.name.slice(0, 2) === name.slice(0, 2));
  if (twice) throw new Error(`${twice.name}: another one has this number`);
  return faults;
}

function readFault(folder: string, file: string): PlantedFault {
  const name = file.endsWith(ENDING) ? file.slice(0, -ENDING.length) : '';
  if (!NAME.test(name)) throw new Error(`${file}: its name must be like 01-random-job-name${ENDING}`);
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  const { fault, harm } = HEAD.exec(text)?.groups ?? {};
  if (fault === undefined || harm === undefined) {
    throw new Error(
      `${file}: must begin with "Fault: <a sentence>" and "Harm: <a sentence>", an empty line and the diff`,
    );
  }
  checkDiff(file, text.split('\n'));
  return { name, path, fault, harm };
}

function checkDiff(file: string, lines: readonly string[]): void {
  const changed = lines.filter((line) => /^[+-](?![+-]{2} )/.test(line)).length;
  if (changed > MAX_CHANGED_LINES) {
    throw new Error(`${file}: changes ${changed} lines, and may change ${MAX_CHANGED_LINES}`);
  }
  const other = lines
    .flatMap((line) => /^(?:--- a|\+\+\+ b)\/(.+)$/.exec(line)?.slice(1) ?? [])
    .find((each) => !OF_THE_MANAGER.test(each));
  if (other !== undefined) throw new Error(`${file}: ${other} is no code of the manager`);
}
