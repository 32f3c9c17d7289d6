/**
 * Reads the planted faults in test/planted. Each fault is a patch, whose head describes the change, the harm and the commands that find the
 * fault.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PROJECT } from '../../test/support/manifests.ts';

const PATCH_FOLDER = join(PROJECT, 'test/planted');
const PATCH_PATTERN =
  /^Fault: (?<fault>\S.*\.)\nHarm: \S.*\.\n(?<foundBy>(?:Found by: \S.*\n)+)\n(?<diff>diff --git [\s\S]*)$/;

export interface PlantedFault {
  /** Name of the patch, such as `01-random-job-name`. */
  readonly name: string;
  /** Path of the patch. */
  readonly path: string;
  /** The change in one sentence. */
  readonly fault: string;
  /** Commands that fail only with the fault. */
  readonly foundBy: readonly string[];
  readonly diff: string;
}

/** Reads the faults in the order of their numbers. Throws an Error with the name of the patch if its head is incomplete. */
export function readPlantedFaults(): readonly PlantedFault[] {
  return readdirSync(PATCH_FOLDER)
    .sort()
    .map((file) => parseFault(join(PATCH_FOLDER, file)));
}

function parseFault(path: string): PlantedFault {
  const { fault, foundBy, diff } = PATCH_PATTERN.exec(readFileSync(path, 'utf8'))?.groups ?? {};
  if (fault === undefined || foundBy === undefined || diff === undefined) {
    throw new Error(
      `${path}: begin with the lines "Fault: …", "Harm: …" and "Found by: …", an empty line and the diff`,
    );
  }
  const commands = foundBy.trim().split('\n');
  return {
    name: basename(path, '.patch'),
    path,
    fault,
    foundBy: commands.map((line) => line.slice('Found by: '.length)),
    diff,
  };
}
