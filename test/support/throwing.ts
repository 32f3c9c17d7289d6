/** A call of a failing API server. */
export function throwing(error: unknown): () => never {
  return () => {
    throw error;
  };
}
