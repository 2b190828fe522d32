import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi } from '../../api/console-api';
import { stringifyExact } from '../../api/exact-json';
import { type CodeSample } from '../../components/code-samples';
import { Figure } from '../../figures/figure';

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

export const playgroundModelsQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['playground-models'],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET('/api/playground/models', { signal }))).data.map(({ id }) => id),
  });

let bodiesCount = 0;
const numbers = new WeakMap<object[], number>();

/** A number of the array: what is in it has megabytes if there are pictures, and would be read for each look at the key. */
function numberOf(bodies: object[]): number {
  const number = numbers.get(bodies) ?? (bodiesCount += 1);
  numbers.set(bodies, number);
  return number;
}

/** The most that calls with these bodies can cost together. The same array is asked for once. */
export const estimateQuery = (api: ConsoleApi, bodies: object[]) =>
  queryOptions({
    queryKey: ['playground-estimate', numberOf(bodies)],
    queryFn: async ({ signal }) => {
      const estimates = await Promise.all(
        bodies.map((body) =>
          bodyOf(api.POST('/api/playground/estimate', { signal, body: { ...body, stream: true } as never })),
        ),
      );
      const { currency } = estimates[0]!;
      return { worstCase: Figure.sum(estimates.map(({ worst_case: most }) => most)), currency };
    },
    placeholderData: keepPreviousData,
    // The bodies go with the question that they are in.
    gcTime: 0,
    retry: false,
  });
