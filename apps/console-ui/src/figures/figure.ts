const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** More than any amount or quantity of the services has; keeps a hostile exponent from filling the memory. */
const MAX_EXPONENT = 400;

/**
 * An exact decimal number: an amount of money, a count, a size. It is made of a text, calculated with as a whole number
 * with a scale, and never becomes a floating-point number on its way from an answer to the screen.
 */
export class Figure {
  static readonly zero = new Figure(0n, 0);

  private constructor(
    private readonly digits: bigint,
    /** Number of decimal places in `digits`. */
    private readonly scale: number,
  ) {}

  /** Throws a RangeError if the text is not a decimal number. */
  static of(text: string | bigint): Figure {
    if (typeof text === 'bigint') return new Figure(text, 0);
    const figure = Figure.parse(text);
    if (!figure) throw new RangeError('not a decimal number');
    return figure;
  }

  /** Undefined if the text is not a decimal number such as `-12.50` or `1e-7`. */
  static parse(text: string): Figure | undefined {
    const [, sign = '', whole = '', decimals = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
    const power = Number(exponent);
    if (whole === '' || Math.abs(power) > MAX_EXPONENT) return undefined;
    const digits = BigInt(`${sign}${whole}${decimals}`);
    const scale = decimals.length - power;
    return scale >= 0 ? new Figure(digits, scale) : new Figure(digits * 10n ** BigInt(-scale), 0);
  }

  static sum(figures: Iterable<Figure>): Figure {
    let total = Figure.zero;
    for (const figure of figures) total = total.plus(figure);
    return total;
  }

  plus(other: Figure): Figure {
    const scale = Math.max(this.scale, other.scale);
    return new Figure(this.digitsAt(scale) + other.digitsAt(scale), scale);
  }

  minus(other: Figure): Figure {
    return this.plus(other.negated());
  }

  times(other: Figure): Figure {
    return new Figure(this.digits * other.digits, this.scale + other.scale);
  }

  /** Divides by a power of ten: prices are for a million tokens. */
  dividedByTenTo(exponent: number): Figure {
    return new Figure(this.digits, this.scale + exponent);
  }

  /** The least figure with so many decimals that is not less. */
  roundedUpTo(decimals: number): Figure {
    if (this.scale <= decimals) return this;
    const step = 10n ** BigInt(this.scale - decimals);
    const cut = this.digits / step;
    return new Figure(this.digits > 0n && cut * step !== this.digits ? cut + 1n : cut, decimals);
  }

  negated(): Figure {
    return new Figure(-this.digits, this.scale);
  }

  absolute(): Figure {
    return this.digits < 0n ? this.negated() : this;
  }

  /** Negative, zero or positive, as `Array.prototype.sort` expects it. */
  compare(other: Figure): number {
    const scale = Math.max(this.scale, other.scale);
    const difference = this.digitsAt(scale) - other.digitsAt(scale);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  equals(other: Figure): boolean {
    return this.compare(other) === 0;
  }

  get isZero(): boolean {
    return this.digits === 0n;
  }

  get isNegative(): boolean {
    return this.digits < 0n;
  }

  /** All digits, without an exponent and without zeros at the end of the decimals. */
  toString(): string {
    const sign = this.digits < 0n ? '-' : '';
    const digits = (this.digits < 0n ? -this.digits : this.digits).toString().padStart(this.scale + 1, '0');
    const whole = digits.slice(0, digits.length - this.scale);
    const decimals = digits.slice(digits.length - this.scale).replace(/0+$/, '');
    return decimals === '' ? `${sign}${whole}` : `${sign}${whole}.${decimals}`;
  }

  /** Only for the position of something on the screen, such as the height of a bar; never for a figure that is shown. */
  toScreenNumber(): number {
    return Number(this.toString());
  }

  private digitsAt(scale: number): bigint {
    return this.digits * 10n ** BigInt(scale - this.scale);
  }
}
