import { type CodeSample } from '../../components/code-samples';

/** A first call of a model in three languages. The key comes from the environment, so that no example holds a secret. */
export function firstCallSamples(gatewayUrl: string, model: string): CodeSample[] {
  const message = { role: 'user', content: 'Hello' };
  const body = JSON.stringify({ model, messages: [message] });
  return [
    {
      name: 'curl',
      code: `curl ${gatewayUrl}/v1/chat/completions \\
  -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${body}'`,
    },
    {
      name: 'Python',
      code: `# pip install openai
import os
from openai import OpenAI

client = OpenAI(base_url="${gatewayUrl}/v1", api_key=os.environ["API_KEY"])
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
    },
    {
      name: 'Node.js',
      code: `// npm install openai
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${gatewayUrl}/v1', apiKey: process.env.API_KEY });
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);`,
    },
  ];
}

/** A first use of a management key. */
export const listKeysSamples = (consoleUrl: string): CodeSample[] => [
  { name: 'curl', code: `curl ${consoleUrl}/api/api-keys -H "Authorization: Bearer $API_KEY"` },
];
