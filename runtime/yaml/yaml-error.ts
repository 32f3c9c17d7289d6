/** What keeps a document from being read. Its message has nothing of the document's content but names of anchors and tags. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
  /** In UTF-16 code units from the beginning of the text. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}
