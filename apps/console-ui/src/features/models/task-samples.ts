import { type CodeSample } from '../../components/code-samples';
import { type ModelPrice } from '../pricing/pricing-queries';

/** A call of one endpoint: the body as JSON, or a form with a file. */
interface TaskCall {
  path: string;
  body: Record<string, unknown> | 'audio';
  /** Further options of curl. */
  curl?: string;
  python: string[];
}

/** What a model that answers no chats is for follows from what its price counts. */
function callOf({ prices, slug: model }: ModelPrice): TaskCall {
  if (prices.per_image) {
    return {
      path: 'images/generations',
      body: { model, prompt: 'A lighthouse at night' },
      python: [
        `answer = client.images.generate(model="${model}", prompt="A lighthouse at night")`,
        'print(answer.data[0].url or answer.data[0].b64_json)',
      ],
    };
  }
  if (prices.per_audio_minute) {
    return {
      path: 'audio/transcriptions',
      body: 'audio',
      python: [
        `answer = client.audio.transcriptions.create(model="${model}", file=open("speech.mp3", "rb"))`,
        'print(answer.text)',
      ],
    };
  }
  if (prices.per_million_characters) {
    return {
      path: 'audio/speech',
      body: { model, voice: 'alloy', input: 'Hello' },
      curl: ' \\\n  -o speech.mp3',
      python: [
        `answer = client.audio.speech.create(model="${model}", voice="alloy", input="Hello")`,
        'answer.write_to_file("speech.mp3")',
      ],
    };
  }
  if (prices.per_search) {
    const documents = ['A book of accounts', 'A lighthouse'];
    return {
      path: 'rerank',
      body: { model, query: 'What is a ledger?', documents },
      python: [
        'answer = client.post("/rerank", cast_to=object, body={',
        `    "model": "${model}", "query": "What is a ledger?",`,
        `    "documents": ${JSON.stringify(documents)},`,
        '})',
        'print(answer["results"])',
      ],
    };
  }
  return {
    path: 'embeddings',
    body: { model, input: 'Hello' },
    python: [
      `answer = client.embeddings.create(model="${model}", input="Hello")`,
      'print(answer.data[0].embedding)',
    ],
  };
}

/** A first call of a model that answers no chats. The key comes from the environment, so that no example holds a secret. */
export function taskSamples(gatewayUrl: string, model: ModelPrice): CodeSample[] {
  const { path, body, curl = '', python } = callOf(model);
  const sent =
    body === 'audio'
      ? `-F model=${model.slug} -F file=@speech.mp3`
      : `-H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body)}'`;
  return [
    {
      name: 'curl',
      code: `curl ${gatewayUrl}/v1/${path} \\
  -H "Authorization: Bearer $API_KEY" \\
  ${sent}${curl}`,
    },
    {
      name: 'Python',
      code: `import os
from openai import OpenAI

client = OpenAI(base_url="${gatewayUrl}/v1", api_key=os.environ["API_KEY"])
${python.join('\n')}`,
    },
  ];
}
