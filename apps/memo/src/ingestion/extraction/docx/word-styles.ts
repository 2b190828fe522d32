import { type ChainedStyle, inherited } from '../package/style-chain';
import { type XmlHandler } from '../package/xml-part';

const OFF = new Set(['0', 'false', 'off', 'none']);
/** Whether a property that may be switched off is on. */
export const isOn = (value: string | undefined): boolean => !OFF.has(value ?? '');

/** The levels of headings end here; `w:outlineLvl` of 9 is body text. */
const HEADING_LEVELS = 9;
export const isHeadingLevel = (value: string | undefined): boolean => Number(value) < HEADING_LEVELS;

/** The list of a style, and the style that names it. */
export interface StyleList {
  numId: string;
  style: string;
}

/** What a style says; null if neither it nor a style that it is based on says it. */
interface Style extends ChainedStyle {
  isHidden?: boolean | null;
  isHeading?: boolean | null;
  list?: StyleList | null;
  /** The level of its list. */
  ilvl?: number | null;
}

/** Reads which styles hide their text, are headings, or number their paragraphs. */
export class WordStyles implements XmlHandler {
  private readonly styles = new Map<string, Style>();
  private style: Style = {};
  private id = '';
  private defaultId: string | undefined;
  private conditional = 0;

  open(name: string, attributes: Record<string, string>): void {
    const value = attributes['w:val'];
    if (name === 'style') this.openStyle(attributes);
    else if (name === 'tblStylePr') this.conditional++;
    else if (value === undefined && name !== 'vanish') return;
    else if (name === 'basedOn') this.style.base = value!;
    else if (this.conditional > 0) return;
    else if (name === 'vanish') this.style.isHidden = isOn(value);
    else if (name === 'outlineLvl') this.style.isHeading = isHeadingLevel(value);
    else if (name === 'numId') this.style.list = { numId: value!, style: this.id };
    else if (name === 'ilvl') this.style.ilvl = Number(value);
  }

  close(name: string): void {
    if (name === 'style') this.style = {};
    else if (name === 'tblStylePr') this.conditional--;
  }

  hides(id: string | undefined): boolean {
    return inherited<'isHidden', boolean>(this.styles, id, 'isHidden') ?? false;
  }

  isHeading(id: string | undefined): boolean {
    return inherited<'isHeading', boolean>(this.styles, id ?? this.defaultId, 'isHeading') ?? false;
  }

  listOf(id: string | undefined): StyleList | undefined {
    return inherited<'list', StyleList>(this.styles, id ?? this.defaultId, 'list');
  }

  levelOf(id: string | undefined): number | undefined {
    return inherited<'ilvl', number>(this.styles, id ?? this.defaultId, 'ilvl');
  }

  private openStyle(attributes: Record<string, string>): void {
    this.id = attributes['w:styleId'] ?? '';
    this.styles.set(this.id, (this.style = {}));
    const { 'w:default': isDefault } = attributes;
    if (attributes['w:type'] === 'paragraph' && isDefault !== undefined && isOn(isDefault))
      this.defaultId = this.id;
  }
}
