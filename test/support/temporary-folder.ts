import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** A new empty folder, deleted with its content after the test. */
export function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The same for all tests of a file, or of the `describe` that calls it. */
export function createTemporaryFolderForFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tests-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
