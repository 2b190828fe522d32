import { ChatAnthropic } from '@langchain/anthropic';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { OpenAI as LlamaOpenAI, OpenAIResponses as LlamaResponses } from '@llamaindex/openai';
import { agent as llamaAgent } from '@llamaindex/workflow';
import { Agent as MastraAgent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTracingDisabled,
  tool as agentsTool,
} from '@openai/agents';
import { OpenRouter } from '@openrouter/sdk';
import { tool as llamaTool } from 'llamaindex';
import OpenAI from 'openai';
import * as t from './task.mjs';

const DESCRIPTION = 'Tells the weather';

setTracingDisabled(true);
const openai = new OpenAI({ baseURL: t.V1, apiKey: t.KEY });
const weatherTool = agentsTool({
  name: 'weather',
  description: DESCRIPTION,
  parameters: t.City,
  execute: t.weatherIn,
});

const agentsTasks = (modelOf) => {
  const agentOf = (model, rest = {}) => new Agent({ name: 'House', model: modelOf(model), ...rest });
  const agent = agentOf(t.MODEL, { tools: [weatherTool] });
  return {
    plain: async () => ({ text: (await run(agent, t.HELLO)).finalOutput }),
    stream: async () =>
      t.gather(
        (await run(agent, t.COUNT, { stream: true })).toTextStream({ compatibleWithNodeStreams: true }),
        String,
      ),
    tool: async () => ({ text: (await run(agent, t.WEATHER)).finalOutput }),
    'streamed tool': async () => {
      const running = await run(agent, t.WEATHER, { stream: true });
      await running.completed;
      return { text: running.finalOutput };
    },
    parse: async () => ({
      object: (await run(agentOf(t.MODEL, { outputType: t.Facts }), t.FACTS)).finalOutput,
    }),
    error: () => t.failureOf(() => run(agentOf(t.UNKNOWN_MODEL), t.HELLO)),
  };
};

const langchainTasks = (modelOf) => {
  const model = modelOf(t.MODEL);
  const weather = langchainTool(t.weatherIn, { name: 'weather', description: DESCRIPTION, schema: t.City });
  const resultOf = async ({ tool_calls: [call] }) =>
    new ToolMessage({ content: await weather.invoke(call.args), tool_call_id: call.id });
  const whole = async (pieces) => {
    let message;
    for await (const piece of pieces) message = message ? message.concat(piece) : piece;
    return message;
  };
  return {
    plain: async () => ({ text: (await model.invoke(t.HELLO)).text }),
    stream: async () => t.gather(await model.stream(t.COUNT), (piece) => piece.text),
    tool: async () => {
      const bound = model.bindTools([weather]);
      const question = new HumanMessage(t.WEATHER);
      const asking = await bound.invoke([question]);
      return { text: (await bound.invoke([question, asking, await resultOf(asking)])).text };
    },
    'streamed tool': async () => {
      const bound = model.bindTools([weather]);
      const question = new HumanMessage(t.WEATHER);
      const asking = await whole(await bound.stream([question]));
      const answer = await whole(await bound.stream([question, asking, await resultOf(asking)]));
      return { text: answer.text };
    },
    parse: async () => ({
      object: await model.withStructuredOutput(t.Facts, { method: 'jsonSchema' }).invoke(t.FACTS),
    }),
    error: () => t.failureOf(() => modelOf(t.UNKNOWN_MODEL).invoke(t.HELLO)),
  };
};

const llamaTasks = (modelOf) => {
  const llm = modelOf(t.MODEL);
  const messages = (content) => [{ role: 'user', content }];
  const weather = llamaTool({
    name: 'weather',
    description: DESCRIPTION,
    parameters: t.City,
    execute: t.weatherIn,
  });
  return {
    plain: async () => ({ text: (await llm.chat({ messages: messages(t.HELLO) })).message.content }),
    stream: async () =>
      t.gather(await llm.chat({ messages: messages(t.COUNT), stream: true }), ({ delta }) => delta),
    tool: async () => ({ text: (await llamaAgent({ llm, tools: [weather] }).run(t.WEATHER)).data.result }),
    error: () => t.failureOf(() => modelOf(t.UNKNOWN_MODEL).chat({ messages: messages(t.HELLO) })),
  };
};

const mastraTasks = (api) => {
  const weather = createTool({
    id: 'weather',
    description: DESCRIPTION,
    inputSchema: t.City,
    execute: async (city) => t.weatherIn(city),
  });
  const modelOf = (model) => ({ providerId: 'gateway', modelId: model, url: t.V1, apiKey: t.KEY });
  const agentOf = (model) =>
    new MastraAgent({
      id: 'house',
      name: 'House',
      instructions: 'You help.',
      model: { ...modelOf(model), api },
      tools: { weather },
      maxRetries: 0,
    });
  const agent = agentOf(t.MODEL);
  return {
    plain: async () => ({ text: (await agent.generate(t.HELLO)).text }),
    stream: async () => t.gather((await agent.stream(t.COUNT)).textStream),
    tool: async () => ({ text: (await agent.generate(t.WEATHER)).text }),
    'streamed tool': async () => ({ text: await (await agent.stream(t.WEATHER)).text }),
    parse: async () => ({
      object: (await agent.generate(t.FACTS, { structuredOutput: { schema: t.Facts } })).object,
    }),
    error: () => t.failureOf(() => agentOf(t.UNKNOWN_MODEL).generate(t.HELLO)),
  };
};

const openRouter = new OpenRouter({ serverURL: t.V1, apiKey: t.KEY });
const routed = (content, rest = {}) => ({
  chatRequest: { model: t.MODEL, messages: [{ role: 'user', content }], ...rest },
});
const routedTool = {
  type: 'function',
  function: { name: 'weather', description: DESCRIPTION, parameters: t.CITY_SCHEMA },
};

export default {
  '@openai/agents': agentsTasks((model) => new OpenAIResponsesModel(openai, model)),
  '@openai/agents, chat': agentsTasks((model) => new OpenAIChatCompletionsModel(openai, model)),
  '@langchain/openai': langchainTasks(
    (model) => new ChatOpenAI({ model, apiKey: t.KEY, configuration: { baseURL: t.V1 }, maxRetries: 0 }),
  ),
  '@langchain/openai, useResponsesApi': langchainTasks(
    (model) =>
      new ChatOpenAI({
        model,
        apiKey: t.KEY,
        useResponsesApi: true,
        configuration: { baseURL: t.V1 },
        maxRetries: 0,
      }),
  ),
  '@langchain/anthropic': langchainTasks(
    (model) => new ChatAnthropic({ model, apiKey: t.KEY, anthropicApiUrl: t.GATEWAY, maxRetries: 0 }),
  ),
  llamaindex: llamaTasks((model) => new LlamaOpenAI({ model, apiKey: t.KEY, baseURL: t.V1, maxRetries: 0 })),
  'llamaindex, responses': llamaTasks(
    (model) => new LlamaResponses({ model, apiKey: t.KEY, baseURL: t.V1, maxRetries: 0, store: false }),
  ),
  '@mastra/core': mastraTasks('chat'),
  '@mastra/core, responses': mastraTasks('responses'),
  '@openrouter/sdk': {
    plain: async () => ({ text: (await openRouter.chat.send(routed(t.HELLO))).choices[0].message.content }),
    stream: async () =>
      t.gather(
        await openRouter.chat.send(routed(t.COUNT, { stream: true })),
        ({ choices }) => choices[0]?.delta.content,
      ),
    tool: async () => {
      const request = routed(t.WEATHER, { tools: [routedTool] }).chatRequest;
      const { message } = (await openRouter.chat.send({ chatRequest: request })).choices[0];
      const [call] = message.toolCalls;
      const content = t.weatherIn(JSON.parse(call.function.arguments));
      const messages = [...request.messages, message, { role: 'tool', toolCallId: call.id, content }];
      const answer = await openRouter.chat.send({ chatRequest: { ...request, messages } });
      return { text: answer.choices[0].message.content };
    },
    responses: async () => {
      const { output } = await openRouter.responses.send({
        responsesRequest: { model: t.MODEL, input: t.HELLO },
      });
      return { text: output[0].content[0].text };
    },
    error: () =>
      t.failureOf(() =>
        openRouter.chat.send({ chatRequest: { ...routed(t.HELLO).chatRequest, model: t.UNKNOWN_MODEL } }),
      ),
  },
};
