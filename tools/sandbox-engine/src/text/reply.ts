import { nextId } from '../http/respond';
import { choiceSeed, textOf, tokenAt } from './text';
import type { ToolCall } from './tool-calls';

/** The assistant's reply, for answers with and without streaming. All texts are JSON. */
export interface Reply {
  /** Per choice. */
  tokens: number;
  finishReason: 'stop' | 'length' | 'tool_calls';
  openingDelta: string;
  deltaAt(choice: number, position: number): string;
  messageOf(choice: number): string;
}

/** A reply of words. They consist of ASCII letters, so nothing needs escaping. */
export function textReply(promptHash: number, tokens: number, finishReason: 'stop' | 'length'): Reply {
  return {
    tokens,
    finishReason,
    openingDelta: '{"role":"assistant","content":"","refusal":null}',
    deltaAt: (choice, position) => `{"content":"${tokenAt(choiceSeed(promptHash, choice), position)}"}`,
    messageOf: (choice) => {
      const text = textOf(choiceSeed(promptHash, choice), tokens);
      return `{"role":"assistant","content":"${text}","refusal":null,"annotations":[]}`;
    },
  };
}

/** A reply that calls a function. Its name is the first token. Each piece of its arguments is one more token. */
export function toolReply({ name, argumentPieces }: ToolCall, maxTokens: number | undefined): Reply {
  const wanted = 1 + argumentPieces.length;
  const tokens = Math.min(wanted, maxTokens ?? wanted);
  const callOf = (args: string): string =>
    `"id":"${nextId('call_')}","type":"function","function":{"name":${JSON.stringify(name)},"arguments":${JSON.stringify(args)}}`;
  return {
    tokens,
    finishReason: tokens < wanted ? 'length' : 'tool_calls',
    openingDelta: '{"role":"assistant","content":null,"refusal":null}',
    deltaAt: (_choice, position) => {
      const call =
        position === 0
          ? callOf('')
          : `"function":{"arguments":${JSON.stringify(argumentPieces[position - 1])}}`;
      return `{"tool_calls":[{"index":0,${call}}]}`;
    },
    messageOf: () => {
      const call = callOf(argumentPieces.slice(0, tokens - 1).join(''));
      return `{"role":"assistant","content":null,"tool_calls":[{${call}}],"refusal":null,"annotations":[]}`;
    },
  };
}
