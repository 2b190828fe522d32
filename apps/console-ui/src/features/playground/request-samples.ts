import { stringifyExact } from '../../api/exact-json';
import { type CodeSample } from '../../components/code/code-samples';

/** A call of a model in three languages. The key comes from the environment, so that no example holds a secret. */
export function samplesOf(gatewayUrl: string, body: object): CodeSample[] {
  // A quote would end the text in the shell.
  const shellBody = stringifyExact(body).replaceAll("'", String.raw`'\''`);
  const entries = Object.entries(body).map(([name, value]) => [name, stringifyExact(value)] as const);
  const listed = (separator: string) =>
    entries.map(([name, value]) => `    ${name}${separator}${value},`).join('\n');
  return [
    {
      name: 'curl',
      code: `curl ${gatewayUrl}/v1/chat/completions \\
  -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${shellBody}'`,
    },
    {
      name: 'Python',
      code: `import os
from openai import OpenAI

client = OpenAI(base_url="${gatewayUrl}/v1", api_key=os.environ["API_KEY"])
answer = client.chat.completions.create(
${listed('=')}
)
print(answer.choices[0].message.content)`,
    },
    {
      name: 'Node.js',
      code: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${gatewayUrl}/v1', apiKey: process.env.API_KEY });
const answer = await client.chat.completions.create({
${listed(': ')}
});
console.log(answer.choices[0].message.content);`,
    },
  ];
}
