/** An error in a YAML text. The message contains no values of the document, only names of anchors and tags. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
  /** Offset in UTF-16 code units from the beginning of the text. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}
