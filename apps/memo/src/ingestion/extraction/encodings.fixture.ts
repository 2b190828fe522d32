export const CHINESE = '退款政策：自签收之日起七日内可以无理由退货。运费由买家承担，质量问题除外。';
export const JAPANESE = '返品は商品到着後七日以内に限りお受けいたします。送料はお客様のご負担となります。';
export const TRADITIONAL = '退款政策：自簽收之日起七日內可以無理由退貨。運費由買家承擔，品質問題除外。';
export const KOREAN = '환불은 상품 수령 후 칠 일 이내에 가능합니다. 배송비는 고객 부담입니다.';
export const RUSSIAN =
  'Возврат возможен в течение семи дней после получения товара. Доставку оплачивает покупатель.';

/** Encodes a text in an encoding of one or two bytes per character. */
export function encoded(text: string, encoding: string): Buffer {
  const bytes = bytesOf(encoding);
  return Buffer.concat(Array.from(text, (character) => bytes.get(character) ?? Buffer.from('?')));
}

export const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

const tables = new Map<string, Map<string, Buffer>>();

function bytesOf(encoding: string): Map<string, Buffer> {
  const known = tables.get(encoding);
  if (known) return known;
  const bytes = new Map<string, Buffer>();
  tables.set(encoding, bytes);
  const decoder = new TextDecoder(encoding);
  const add = (...code: number[]): void => {
    const character = decoder.decode(Uint8Array.from(code));
    if ([...character].length === 1 && !bytes.has(character)) bytes.set(character, Buffer.from(code));
  };
  for (let lead = 0; lead < 256; lead++) add(lead);
  for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) add(lead, trail);
  return bytes;
}
