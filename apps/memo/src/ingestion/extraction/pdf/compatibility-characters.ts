/**
 * Radicals, presentation forms of Arabic and Hebrew letters, and vertical punctuation. Fonts map glyphs to them
 * instead of the ordinary characters.
 */
const COMPATIBILITY_CHARACTERS =
  /[\u2e80-\u2fdf\ufb1d-\ufb4f\ufb50-\ufdff\ufe10-\ufe19\ufe30-\ufe4f\ufe70-\ufefc]/g;
/**
 * Radicals that NFKC does not change, with the characters of Unicode's data on equivalent ideographs. For the last
 * one NFKC gives a traditional character, but fonts for simplified Chinese use it in common words.
 */
const RADICALS =
  '⺁厂 ⺂乛 ⺃乚 ⺄乙 ⺅亻 ⺆冂 ⺈刀 ⺉刂 ⺊卜 ⺋㔾 ⺌小 ⺍小 ⺎兀 ⺏尣 ⺐尢 ⺒巳 ⺓幺 ⺔彑 ⺕彐 ⺖忄 ⺗心 ⺘扌 ⺙攵 ⺛旡 ⺜日 ⺝月 ⺞歺 ⺠民 ⺡氵 ⺢氺 ' +
  '⺣灬 ⺤爫 ⺥爫 ⺦丬 ⺧牛 ⺨犭 ⺩王 ⺫目 ⺬示 ⺭礻 ⺯糹 ⺰纟 ⺱罓 ⺲罒 ⺳㓁 ⺴冗 ⺶羊 ⺹耂 ⺺肀 ⺻聿 ⺼肉 ⺾艹 ⺿艹 ⻀艹 ⻁虎 ⻂衤 ⻃覀 ⻄西 ⻅见 ⻆角 ' +
  '⻈讠 ⻉贝 ⻋车 ⻌辶 ⻍辶 ⻎辶 ⻏邑 ⻐钅 ⻑長 ⻒镸 ⻓长 ⻔门 ⻖阝 ⻗雨 ⻘青 ⻙韦 ⻚页 ⻛风 ⻜飞 ⻝食 ⻟飠 ⻠饣 ⻢马 ⻣骨 ⻤鬼 ⻥鱼 ⻦鸟 ⻧卤 ⻨麦 ⻩黄 ' +
  '⻪黾 ⻫斉 ⻬齐 ⻭歯 ⻮齿 ⻯竜 ⻰龙 ⻱龜 ⻲亀 ⼾户';
const CHARACTERS = new Map(RADICALS.split(' ').map(([radical = '', character = '']) => [radical, character]));

/** Replaces compatibility characters by the ordinary characters. */
export function replaceCompatibilityCharacters(text: string): string {
  return text.replace(COMPATIBILITY_CHARACTERS, (drawn) => CHARACTERS.get(drawn) ?? drawn.normalize('NFKC'));
}
