/** Values of an inline style, by property in lower case; a later or an important declaration replaces an earlier one. */
type Declarations = Map<string, string>;

const COMMENT = /\/\*[\s\S]*?(?:\*\/|$)/g;
const ESCAPE = /\\(?:([0-9a-f]{1,6})\s?|([\s\S]))/gi;
const IMPORTANT = /\s*!\s*important$/i;
const GLOBAL = /^(?:inherit|initial|unset|revert|revert-layer)$/;
const ZERO = /^[+-]?0*\.?0*(?:e[+-]?\d+)?(?:%|[a-z]*)$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(%|[a-z]*)$/;
/** Units of a size that is a multiple of the inherited one. */
const RELATIVE_UNITS = new Set(['%', 'em', 'ex', 'ch', 'cap', 'ic', 'lh']);
const LENGTH_UNITS = new Set(
  'px pt pc in cm mm q rem rex rch rcap ric rlh vw vh vi vb vmin vmax svw svh lvw lvh dvw dvh cqw cqh cqi cqb cqmin cqmax'.split(
    ' ',
  ),
);
const ABSOLUTE_SIZES = /^(?:xx-small|x-small|small|medium|large|x-large|xx-large|xxx-large|math)$/;
const RELATIVE_SIZES = /^(?:smaller|larger)$/;
const SYSTEM_FONTS = /^(?:caption|icon|menu|message-box|small-caption|status-bar)$/;
const DISPLAYS =
  /^(?:(?:block|inline|run-in|flow|flow-root|table|flex|grid|ruby|math|list-item|contents|none|inline-(?:block|table|flex|grid)|table-(?:row-group|header-group|footer-group|row|cell|column-group|column|caption)|ruby-(?:base|text|base-container|text-container)|-webkit-(?:box|inline-box|flex|inline-flex))(?:\s+|$))+$/;
const VISIBILITIES = /^(?:visible|hidden|collapse)$/;

/** A value that is known only where the page is shown. Text is rather read than lost. */
const SUBSTITUTION = /(?:^|[^a-z-])(?:var|env|attr)\(/;

/** Other styles are not parsed. A backslash may write a letter of a property. */
const MAY_HIDE = /display|visibility|opacity|font|\\/i;

type Validator = (value: string) => boolean;
const VALID: Record<string, Validator> = {
  display: (value) => DISPLAYS.test(value),
  visibility: (value) => VISIBILITIES.test(value),
  opacity: (value) => /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?%?$/.test(value) || value.includes('('),
  'font-size': (value) => sizeOf(value) !== undefined,
  font: (value) => sizeOfFont(value) !== undefined,
  'content-visibility': (value) => /^(?:visible|auto|hidden)$/.test(value),
};
/** An element with one of these is invisible only until its animation runs. */
const MOVING = /^(?:transition|animation|transform|translate|scale|rotate|will-change)(?:-|$)/;

type Size = 'zero' | 'relative' | 'visible';

function sizeOf(value: string): Size | undefined {
  if (ABSOLUTE_SIZES.test(value)) return 'visible';
  if (RELATIVE_SIZES.test(value)) return 'relative';
  // What a calculation results in is not known; text is rather read than lost.
  if (/^[a-z-]+\(/.test(value)) return 'visible';
  const unit = NUMBER.exec(value)?.[1];
  if (unit === undefined || value.startsWith('-')) return undefined;
  if (ZERO.test(value)) return 'zero';
  if (RELATIVE_UNITS.has(unit)) return 'relative';
  return LENGTH_UNITS.has(unit) ? 'visible' : undefined;
}

/** The size in the shorthand `font`, which stands before the family and an optional line height. */
function sizeOfFont(value: string): Size | undefined {
  if (SYSTEM_FONTS.test(value)) return 'visible';
  const words = value.split(/\s+/);
  for (const word of words.slice(0, -1)) {
    const size = sizeOf(word.split('/', 1)[0]!);
    // A number without a unit before the size is the weight.
    if (size && !/^[1-9]\d*$/.test(word)) return size;
  }
  return undefined;
}

/** Splits at semicolons outside strings, brackets and `url()`, as CSS Syntax reads a list of declarations. */
function declarationsIn(style: string): string[] {
  const declarations: string[] = [];
  let start = 0;
  let quote = '';
  let depth = 0;
  for (let at = 0; at < style.length; at++) {
    const one = style[at]!;
    if (one === '\\') at++;
    else if (quote) quote = one === quote || one === '\n' ? '' : quote;
    else if (one === '"' || one === "'") quote = one;
    else if ('([{'.includes(one)) depth++;
    else if (')]}'.includes(one)) depth = Math.max(0, depth - 1);
    else if (one === ';' && depth === 0) {
      declarations.push(style.slice(start, at));
      start = at + 1;
    }
  }
  return [...declarations, style.slice(start)];
}

/** Longer values are pictures and fonts; the patterns above take long for long numbers. */
const MAX_VALUE_CHARACTERS = 200;

function parseStyle(style: string): Declarations {
  const values: Declarations = new Map();
  const important = new Set<string>();
  for (const declaration of declarationsIn(style.replace(COMMENT, ' '))) {
    const colon = declaration.indexOf(':');
    const property = unescaped(declaration.slice(0, colon)).trim().toLowerCase();
    const raw = unescaped(declaration.slice(colon + 1)).trim();
    if (colon < 0 || raw === '' || raw.length > MAX_VALUE_CHARACTERS) continue;
    const value = raw.replace(IMPORTANT, '').toLowerCase();
    const isImportant = IMPORTANT.test(raw);
    if (VALID[property]?.(value) === false && !GLOBAL.test(value) && !SUBSTITUTION.test(value)) continue;
    // The shorthand and the size replace each other.
    const key = property === 'font' ? 'font-size' : property;
    if (important.has(key) && !isImportant) continue;
    if (isImportant) important.add(key);
    values.set(key, property === 'font' && !GLOBAL.test(value) ? `font:${value}` : value);
  }
  return values;
}

const unescaped = (text: string): string =>
  text.replace(ESCAPE, (_, code: string | undefined, one: string | undefined) => {
    const point = parseInt(code ?? '', 16);
    return code === undefined
      ? one!
      : point > 0 && point <= 0x10ffff
        ? String.fromCodePoint(point)
        : '\ufffd';
  });

/** What an element inherits. Text is read where it is visible and its size is not zero. */
export interface Visibility {
  isVisible: boolean;
  isSized: boolean;
}
export const SHOWN: Visibility = { isVisible: true, isSized: true };

/** How an element is laid out: as lines of its own, as a box in a line, or as boxes of its children. */
type Layout = 'block' | 'box' | 'flexible';

export interface ElementStyle {
  visibility: Visibility;
  layout: Layout | undefined;
}

/**
 * The visibility of the text in an element with this inline style, and its layout, or undefined if nothing in it can be seen. Style sheets
 * are not evaluated.
 */
export function styleIn(
  parent: Visibility,
  style: string | undefined,
  isHidden: boolean,
): ElementStyle | undefined {
  if (style === undefined || !MAY_HIDE.test(style))
    return isHidden ? undefined : { visibility: parent, layout: undefined };
  const values = parseStyle(style);
  const display = values.get('display');
  if (display === 'none' || (isHidden && (display === undefined || GLOBAL.test(display)))) return undefined;
  if (values.get('content-visibility') === 'hidden') return undefined;
  if (isTransparent(values)) return undefined;
  const isVisible = resolved(
    values.get('visibility'),
    parent.isVisible,
    (value) => value === 'visible' || SUBSTITUTION.test(value),
  );
  const isSized = resolved(values.get('font-size'), parent.isSized, (value) => {
    const size = value.startsWith('font:') ? sizeOfFont(value.slice(5)) : sizeOf(value);
    return size === 'relative' ? parent.isSized : size !== 'zero';
  });
  const isSame = isVisible === parent.isVisible && isSized === parent.isSized;
  return { visibility: isSame ? parent : { isVisible, isSized }, layout: layoutOf(display) };
}

function layoutOf(display: string | undefined): Layout | undefined {
  if (display === undefined || GLOBAL.test(display)) return undefined;
  if (/(?:^|-|\s)(?:flex|grid|box)$/.test(display)) return 'flexible';
  if (/^inline-|^table-cell/.test(display)) return 'box';
  return /^(?:block|flow-root|list-item|table)/.test(display) ? 'block' : undefined;
}

function resolved(value: string | undefined, inherited: boolean, own: (value: string) => boolean): boolean {
  if (value === undefined) return inherited;
  if (GLOBAL.test(value)) return value === 'initial' || inherited;
  return own(value);
}

function isTransparent(values: Declarations): boolean {
  const opacity = values.get('opacity');
  if (opacity === undefined || opacity.includes('(') || !(parseFloat(opacity) <= 0)) return false;
  return ![...values].some(
    ([property, value]) => MOVING.test(property) && !/^(?:none|auto)$/.test(value) && !GLOBAL.test(value),
  );
}
