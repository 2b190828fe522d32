import { z } from 'zod';

/** What every program of this folder uses: the gateway, and the questions that the scripted model knows. */

const { GATEWAY = '', KEY = '', MODEL = '' } = process.env;
export { GATEWAY, KEY, MODEL };
export const V1 = `${GATEWAY}/v1`;
export const UNKNOWN_MODEL = 'no-such-model';

export const HELLO = 'Say hello';
export const COUNT = 'Count to five';
export const WEATHER = 'What is the weather in Bern?';
export const FACTS = 'Give the facts of Bern as JSON';

export const Facts = z.object({ city: z.string(), degrees: z.number() });
export const City = z.object({ city: z.string() });
export const CITY_SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
/** Tells what it was asked for. */
export const weatherIn = ({ city }) => `7 degrees in ${city}`;

/** Puts the pieces of a stream together. */
export async function gather(pieces, textOf = (piece) => piece) {
  let text = '';
  let count = 0;
  for await (const piece of pieces) {
    const part = textOf(piece);
    if (typeof part !== 'string' || part === '') continue;
    text += part;
    count += 1;
  }
  return { text, pieces: count };
}

/** The refusal as the client tells it: libraries hide the SDK's error at different depths. */
export async function failureOf(ask) {
  try {
    return { text: `no failure: ${JSON.stringify(await ask())}` };
  } catch (error) {
    const chain = [];
    for (let e = error; e && typeof e === 'object' && !chain.includes(e); e = e.cause ?? e.lastError)
      chain.push(e);
    const status = chain.map((e) => e.status ?? e.statusCode).find(Boolean) ?? null;
    return { status, message: chain.map((e) => `${e.message} ${e.body ?? ''}`).join(' | ') };
  }
}
