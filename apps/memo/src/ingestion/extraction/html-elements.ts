const words = (list: string): Set<string> => new Set(list.split(' '));

/** The elements of HTML, with obsolete ones (HTML 16.2) that old pages have. */
const ELEMENTS = words(
  'a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br button canvas caption ' +
    'center cite code col colgroup command content data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font ' +
    'footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins isindex kbd keygen label layer ' +
    'legend li link listing main map mark marquee math menu menuitem meta meter multicol nav nextid nobr noembed noframes nolayer noscript ' +
    'object ol optgroup option output p param picture plaintext portal pre progress q rb rp rt rtc ruby s samp script search section select ' +
    'shadow slot small source spacer span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title ' +
    'tr track tt u ul var video wbr xmp',
);
/** Without content or end tag. */
const VOID = words(
  'area base basefont bgsound br col command embed frame hr image img input isindex keygen link meta nextid param source spacer track wbr',
);
/** They may end without an end tag (HTML 13.1.2.4). */
const END_IS_OPTIONAL = words(
  'html head body p li dt dd rb rt rtc rp optgroup option colgroup caption thead tbody tfoot tr td th',
);
/** An open one hides all that follows. */
const HIDING = words(
  'title script style template noscript iframe object canvas audio video datalist noframes textarea xmp svg math',
);
const CLOSING = /<\/([a-z][^\s/>]*)/gi;

/** The names in the end tags of a text, in lower case. */
export const closedIn = (html: string): Set<string> =>
  new Set(Array.from(html.matchAll(CLOSING), ([, name]) => name!.toLowerCase()));

/**
 * Whether a start tag is a word in angle brackets, as in `List<String>`, rather than an element. Names with a colon belong to another
 * vocabulary.
 * @param name in lower case
 */
export const isWord = (name: string): boolean => !ELEMENTS.has(name) && !name.includes(':');

/** Whether an element without attributes shows nothing unless it has an end tag. */
export const needsEnd = (name: string): boolean => !VOID.has(name) && !END_IS_OPTIONAL.has(name);

export const hidesRest = (name: string): boolean => HIDING.has(name);
