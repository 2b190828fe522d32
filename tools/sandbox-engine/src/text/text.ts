// ASCII letters only, so that a word needs no escaping in JSON.
const WORDS_TEXT = `
able about above across act add after again air all along also always and animal answer any appear area
around ask autumn away back base be bear beauty bed before begin behind believe best better between big bird
black blue boat body book both bottom box bread bring brown build busy buy call came can car care carry
cause center certain change check child city class clear close cold color come common complete cook cool
correct could country course cover cross cry cut dark day decide deep develop differ direct distant do dog
done door down draw dream drive dry during each early earth ease east eat effort eight end energy engine
enough equal even evening ever every exact example eye face fact fall family far farm fast feel feet few
field figure final find fine fire first fish five float flow flower fly follow food foot force forest form
forward found four free friend from front full garden gave general gentle get give glass go gold good govern
grand grass great green ground group grow guide half hand happen happy hard harvest has have head hear heart
heat heavy help here high hill history hold home hope horse hot hour house how hundred idea inch island join
journey jump just keep kind king know lake land language large last late laugh lead learn leave left less
letter level life light line list listen little live long look love low machine main make many map mark
market matter mean measure meet melt middle might mile milk`;

/** The 256 lower-case words of all answers. */
export const WORDS: readonly string[] = WORDS_TEXT.trim().split(/\s+/);

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const GOLDEN_RATIO = 0x9e3779b9;

const SPACED_WORDS = WORDS.map((word) => ` ${word}`);

/** The 32-bit FNV-1a hash of a text. `seed` is the hash of the preceding text, if there is one. */
export function hashText(text: string, seed: number = FNV_OFFSET): number {
  let hash = seed;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return hash >>> 0;
}

/** The 32-bit pseudo-random number at a position of the sequence of `seed` (MurmurHash3's finalizer). */
export function numberAt(seed: number, position: number): number {
  let mixed = (seed + Math.imul(position + 1, GOLDEN_RATIO)) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** The token at `position` (from 0) of the text of `seed`. It needs no escaping in JSON. */
export function tokenAt(seed: number, position: number): string {
  const words = position === 0 ? WORDS : SPACED_WORDS;
  return words[numberAt(seed, position) % words.length] ?? '';
}

/** The first `count` tokens of the text of `seed`. */
export function textOf(seed: number, count: number): string {
  let text = '';
  for (let position = 0; position < count; position += 1) text += tokenAt(seed, position);
  return text;
}

/** The seed for the text of the choice at `index` (from 0). */
export function choiceSeed(promptHash: number, index: number): number {
  return index === 0 ? promptHash : numberAt(promptHash, -1 - index);
}
