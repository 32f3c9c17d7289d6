/** The fault of an unreadable document. Its message contains only names of anchors and tags from the document. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
  /** Offset in UTF-16 code units from the beginning of the text. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}
