/** The OpenAI endpoints that the gateway proxies, by their path below /v1. */
export type Endpoint = 'chat/completions' | 'completions' | 'embeddings';
