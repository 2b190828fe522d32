/** Radicals, forms of Arabic and Hebrew letters, vertical punctuation: what fonts draw in the place of characters. */
const STAND_INS = /[\u2e80-\u2fdf\ufb1d-\ufb4f\ufb50-\ufdff\ufe10-\ufe19\ufe30-\ufe4f\ufe70-\ufefc]/g;
/**
 * Normalisation leaves these as they are; their counterparts are in Unicode's data on equivalent ideographs. It makes
 * a traditional character of the last one, which fonts for simplified Chinese draw in every word for a customer.
 */
const RADICALS =
  '⺁厂 ⺂乛 ⺃乚 ⺄乙 ⺅亻 ⺆冂 ⺈刀 ⺉刂 ⺊卜 ⺋㔾 ⺌小 ⺍小 ⺎兀 ⺏尣 ⺐尢 ⺒巳 ⺓幺 ⺔彑 ⺕彐 ⺖忄 ⺗心 ⺘扌 ⺙攵 ⺛旡 ⺜日 ⺝月 ⺞歺 ⺠民 ⺡氵 ⺢氺 ' +
  '⺣灬 ⺤爫 ⺥爫 ⺦丬 ⺧牛 ⺨犭 ⺩王 ⺫目 ⺬示 ⺭礻 ⺯糹 ⺰纟 ⺱罓 ⺲罒 ⺳㓁 ⺴冗 ⺶羊 ⺹耂 ⺺肀 ⺻聿 ⺼肉 ⺾艹 ⺿艹 ⻀艹 ⻁虎 ⻂衤 ⻃覀 ⻄西 ⻅见 ⻆角 ' +
  '⻈讠 ⻉贝 ⻋车 ⻌辶 ⻍辶 ⻎辶 ⻏邑 ⻐钅 ⻑長 ⻒镸 ⻓长 ⻔门 ⻖阝 ⻗雨 ⻘青 ⻙韦 ⻚页 ⻛风 ⻜飞 ⻝食 ⻟飠 ⻠饣 ⻢马 ⻣骨 ⻤鬼 ⻥鱼 ⻦鸟 ⻧卤 ⻨麦 ⻩黄 ' +
  '⻪黾 ⻫斉 ⻬齐 ⻭歯 ⻮齿 ⻯竜 ⻰龙 ⻱龜 ⻲亀 ⼾户';
const CHARACTERS = new Map(RADICALS.split(' ').map(([radical = '', character = '']) => [radical, character]));

/** The text with the characters that its stand-ins stand for. */
export function withoutStandIns(text: string): string {
  return text.replace(STAND_INS, (drawn) => CHARACTERS.get(drawn) ?? drawn.normalize('NFKC'));
}
