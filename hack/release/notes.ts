/** The options of {@link createReleaseNotes}. */
export interface ReleaseNotesOptions {
  readonly version: string;
  /** URL of the project, to which relative links lead. */
  readonly repository: string;
  /** Also accepts the heading `## Unreleased: <version>`. */
  readonly acceptsUnreleased: boolean;
}

/** Returns the section of CHANGELOG.md for a version. Throws if the newest section is for another version. */
export function createReleaseNotes(changelog: string, options: ReleaseNotesOptions): string {
  const { version, repository, acceptsUnreleased } = options;
  const [, heading = '', section = ''] = /^## (.*)\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changelog) ?? [];
  const accepted = [version, ...(acceptsUnreleased ? [`Unreleased: ${version}`] : [])];
  if (!accepted.includes(heading))
    throw new Error(`the newest heading of CHANGELOG.md is "## ${heading}": change it to "## ${version}" and commit`);
  return `${section.trim()}\n`.replace(
    /\]\((?!https?:|#)([^)]+)\)/g,
    (_, path: string) => `](${repository}/blob/v${version}/${path})`,
  );
}
