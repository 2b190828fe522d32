import { type JsonText } from '@inference/http';
import { type Fields } from '../fields';

interface Call {
  id: string;
  name: string;
  /** JSON. */
  arguments: string | JsonText;
}

/** Puts the messages of a chat completion together. */
export class ChatConversation {
  readonly messages: Fields[] = [];

  /** Instructions at the beginning become one message: many chat templates allow no second one. */
  instruct(text: string): void {
    const last = this.messages.at(-1);
    if (last?.role === 'system') last.content = `${last.content as string}\n\n${text}`;
    else this.messages.push({ role: 'system', content: text });
  }

  /** @param parts of content in the shape of chat completions */
  ask(parts: Fields[]): void {
    if (parts.length > 0) this.messages.push({ role: 'user', content: withoutParts(parts) });
  }

  /** Adds to the answer of the model that is the last message, or begins one. */
  answer(text: string): void {
    const { message } = this;
    message.content = typeof message.content === 'string' ? message.content + text : text;
  }

  think(text: string): void {
    const { message } = this;
    message.reasoning_content = `${(message.reasoning_content as string | undefined) ?? ''}${text}`;
  }

  call({ id, ...called }: Call): void {
    const calls = (this.message.tool_calls ??= []) as Fields[];
    calls.push({ id, type: 'function', function: called });
  }

  /** The result of a call. Pictures and files follow from the user: servers take only text from tools. */
  result(callId: string, parts: Fields[]): void {
    const texts = parts.filter(({ type }) => type === 'text').map(({ text }) => text);
    const content = texts.length === 1 ? texts[0] : texts.join('\n');
    this.messages.push({ role: 'tool', tool_call_id: callId, content });
  }

  /** The answer that is being put together. A message of the model without text has the content null. */
  private get message(): Fields {
    const last = this.messages.at(-1);
    if (last?.role === 'assistant') return last;
    const message: Fields = { role: 'assistant', content: null };
    this.messages.push(message);
    return message;
  }
}

/** A single text is sent as such: not every server takes parts. */
const withoutParts = (parts: Fields[]): unknown =>
  parts.length === 1 && parts[0]!.type === 'text' ? parts[0]!.text : parts;
