import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, Output, stepCountIs, streamText, tool } from 'ai';
import * as t from './task.mjs';

const openai = createOpenAI({ baseURL: t.V1, apiKey: t.KEY });
const anthropic = createAnthropic({ baseURL: t.V1, apiKey: t.KEY });
const compatible = createOpenAICompatible({ name: 'gateway', baseURL: t.V1, apiKey: t.KEY });

const tools = {
  weather: tool({
    description: 'Tells the weather',
    inputSchema: t.City,
    execute: async (city) => t.weatherIn(city),
  }),
};

/** @param options what a call needs besides */
const tasksOf = (modelOf, options = {}) => {
  const model = modelOf(t.MODEL);
  return {
    plain: async () => ({ text: (await generateText({ model, prompt: t.HELLO, ...options })).text }),
    'second turn': async () => {
      const first = await generateText({ model, prompt: t.HELLO, ...options });
      const messages = [
        { role: 'user', content: t.HELLO },
        ...first.responseMessages,
        { role: 'user', content: t.COUNT },
      ];
      return { text: (await generateText({ model, messages, ...options })).text };
    },
    stream: () => t.gather(streamText({ model, prompt: t.COUNT, ...options }).textStream),
    tool: async () => {
      const request = { model, prompt: t.WEATHER, tools, stopWhen: stepCountIs(3), ...options };
      return { text: (await generateText(request)).text };
    },
    'streamed tool': async () => {
      const request = { model, prompt: t.WEATHER, tools, stopWhen: stepCountIs(3), ...options };
      return { text: await streamText(request).text };
    },
    parse: async () => {
      const output = Output.object({ schema: t.Facts });
      return { object: (await generateText({ model, prompt: t.FACTS, output, ...options })).output };
    },
    error: () =>
      t.failureOf(() => generateText({ model: modelOf(t.UNKNOWN_MODEL), prompt: t.HELLO, ...options })),
  };
};

export default {
  'ai, @ai-sdk/openai': tasksOf(openai, { providerOptions: { openai: { store: false } } }),
  'ai, @ai-sdk/openai, stored': tasksOf(openai),
  'ai, @ai-sdk/openai, chat': tasksOf(openai.chat),
  'ai, @ai-sdk/anthropic': tasksOf(anthropic),
  'ai, @ai-sdk/openai-compatible': tasksOf(compatible),
};
