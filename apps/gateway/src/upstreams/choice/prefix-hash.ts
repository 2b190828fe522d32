/** Characters of a message that count. A conversation is told from others by far fewer; all of a long one would cost time. */
const MESSAGE_CHARS = 512;
/** Messages before the first one of the user that count. */
const MOST_MESSAGES = 4;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

function addText(hash: number, text: string): number {
  const end = Math.min(text.length, MESSAGE_CHARS);
  let result = hash;
  for (let index = 0; index < end; index++) result = Math.imul(result ^ text.charCodeAt(index), FNV_PRIME);
  return result;
}

/** The hash of a name, for `uniform`. */
export const seedOf = (name: string): number => addText(FNV_OFFSET, name) >>> 0;

/** A number between 0 and 1, which follows from key and seed and looks random. */
export function uniform(key: number, seed: number): number {
  let mixed = Math.imul(key ^ seed, 0x9e3779b1) ^ Math.imul(seed, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (((mixed ^ (mixed >>> 16)) >>> 0) + 0.5) / 2 ** 32;
}

/** The parts of a request body that its prefix is read from. */
interface Prompt {
  messages?: unknown;
  prompt?: unknown;
  input?: unknown;
}

/**
 * The hash of an account and of the beginning of a prompt: of a conversation up to the first message of the user, which all its turns have in
 * common.
 */
export function prefixHash(accountId: string, { messages, prompt, input }: Prompt): number {
  const hash = addText(FNV_OFFSET, accountId);
  if (!Array.isArray(messages)) {
    const text = prompt ?? input;
    const first: unknown = Array.isArray(text) ? text[0] : text;
    return (typeof first === 'string' ? addText(hash, first) : hash) >>> 0;
  }
  let result = hash;
  for (let index = 0; index < messages.length && index < MOST_MESSAGES; index++) {
    const message = messages[index] as { role?: unknown; content?: unknown } | null;
    const content = message?.content;
    if (typeof content === 'string') result = addText(result, content);
    else if (Array.isArray(content))
      for (const part of content.slice(0, MOST_MESSAGES) as ({ text?: unknown } | null)[])
        if (typeof part?.text === 'string') result = addText(result, part.text);
    if (message?.role === 'user') break;
  }
  return result >>> 0;
}
