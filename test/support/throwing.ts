/** The answer of an API server that fails. */
export function throwing(error: unknown): () => never {
  return () => {
    throw error;
  };
}
