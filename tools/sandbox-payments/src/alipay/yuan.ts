const FEN_PER_YUAN = 100;

/** Formats an amount in fen as yuan with two decimals. */
export const yuan = (fen: number): string =>
  `${Math.floor(fen / FEN_PER_YUAN)}.${String(fen % FEN_PER_YUAN).padStart(2, '0')}`;

/** Parses an amount in yuan with at most two decimals. */
export function fen(text: string): number {
  const [whole = '', fraction = ''] = text.split('.');
  return Number(whole) * FEN_PER_YUAN + Number(fraction.padEnd(2, '0'));
}
