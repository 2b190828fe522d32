/** The OpenAI endpoints that are relayed, by their path below /v1. */
export type Endpoint = 'chat/completions' | 'completions' | 'embeddings';
