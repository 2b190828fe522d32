import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { zodFunction, zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import * as t from './task.mjs';

const openai = new OpenAI({ baseURL: t.V1, apiKey: t.KEY });
const anthropic = new Anthropic({ baseURL: t.GATEWAY, apiKey: t.KEY });

const ask = (content) => ({ model: t.MODEL, messages: [{ role: 'user', content }] });
const say = (content) => ({ ...ask(content), max_tokens: 200 });
const input = (text) => ({ model: t.MODEL, input: text });
const FUNCTION = { type: 'function', name: 'weather', parameters: t.CITY_SCHEMA, strict: true };
const weatherTool = betaTool({
  name: 'weather',
  description: 'Tells it',
  inputSchema: t.CITY_SCHEMA,
  run: t.weatherIn,
});

/** Asks, and tells what the called function has returned. */
async function twoResponses(respond) {
  const request = { ...input([{ role: 'user', content: t.WEATHER }]), tools: [FUNCTION] };
  const first = await respond(request);
  const call = first.output.find(({ type }) => type === 'function_call');
  const output = t.weatherIn(JSON.parse(call.arguments));
  const result = { type: 'function_call_output', call_id: call.call_id, output };
  const last = await respond({ ...request, input: [...request.input, ...first.output, result] });
  return { text: last.output_text };
}

export default {
  'openai, chat': {
    plain: async () => ({
      text: (await openai.chat.completions.create(ask(t.HELLO))).choices[0].message.content,
    }),
    stream: async () =>
      t.gather(
        await openai.chat.completions.create({ ...ask(t.COUNT), stream: true }),
        ({ choices }) => choices[0]?.delta.content,
      ),
    tool: async () => {
      const tool = zodFunction({ name: 'weather', parameters: t.City, function: t.weatherIn });
      return {
        text: await openai.chat.completions.runTools({ ...ask(t.WEATHER), tools: [tool] }).finalContent(),
      };
    },
    'streamed tool': async () => {
      const tool = zodFunction({ name: 'weather', parameters: t.City, function: t.weatherIn });
      const runner = openai.chat.completions.runTools({ ...ask(t.WEATHER), tools: [tool], stream: true });
      return { text: await runner.finalContent() };
    },
    parse: async () => {
      const format = { response_format: zodResponseFormat(t.Facts, 'facts') };
      return {
        object: (await openai.chat.completions.parse({ ...ask(t.FACTS), ...format })).choices[0].message
          .parsed,
      };
    },
    error: () =>
      t.failureOf(() => openai.chat.completions.create({ ...ask(t.HELLO), model: t.UNKNOWN_MODEL })),
  },
  'openai, responses': {
    plain: async () => ({ text: (await openai.responses.create(input(t.HELLO))).output_text }),
    stream: () =>
      t.gather(
        openai.responses.stream(input(t.COUNT)),
        ({ type, delta }) => type === 'response.output_text.delta' && delta,
      ),
    tool: () => twoResponses((request) => openai.responses.create(request)),
    'streamed tool': () => twoResponses((request) => openai.responses.stream(request).finalResponse()),
    parse: async () => {
      const format = { text: { format: zodTextFormat(t.Facts, 'facts') } };
      return { object: (await openai.responses.parse({ ...input(t.FACTS), ...format })).output_parsed };
    },
    error: () => t.failureOf(() => openai.responses.create({ ...input(t.HELLO), model: t.UNKNOWN_MODEL })),
  },
  '@anthropic-ai/sdk': {
    plain: async () => ({ text: (await anthropic.messages.create(say(t.HELLO))).content[0].text }),
    stream: () => t.gather(anthropic.messages.stream(say(t.COUNT)), ({ delta }) => delta?.text),
    tool: async () => {
      const asked = { ...say(t.WEATHER), tools: [weatherTool] };
      const message = await anthropic.beta.messages.toolRunner(asked);
      return { text: message.content.at(-1).text };
    },
    'streamed tool': async () => {
      const running = { ...say(t.WEATHER), tools: [weatherTool], stream: true };
      let message;
      for await (const stream of anthropic.beta.messages.toolRunner(running))
        message = await stream.finalMessage();
      return { text: message.content.at(-1).text };
    },
    error: () => t.failureOf(() => anthropic.messages.create({ ...say(t.HELLO), model: t.UNKNOWN_MODEL })),
  },
};
