import { type CodeSample } from '../../../components/code/code-samples';

/** A first question to a workspace. The key comes from the environment, so that no example holds a secret. */
export const questionSamples = (memoUrl: string, workspaceId: string): CodeSample[] => [
  {
    name: 'curl',
    code: `curl -N ${memoUrl}/v1/workspaces/${workspaceId}/chat \\
  -H "X-API-Key: $WORKSPACE_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"query": "…"}'`,
  },
];
