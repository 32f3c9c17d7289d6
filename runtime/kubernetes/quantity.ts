/**
 * Format of a printed quantity: with a binary suffix (`1Gi`), with a decimal suffix (`500m`) or with an exponent
 * (`1e3`).
 */
type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent';

/** The pattern of a quantity, which is also part of generated CRDs. */
export const QUANTITY_PATTERN =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$';
const QUANTITY_PARTS_PATTERN = /^(?<sign>[+-]?)(?<whole>\d*)\.?(?<fraction>\d*)(?<suffix>\D.*)?$/;

const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** The suffixes for powers of ten. The exponent of a suffix is three times its index, minus 9. */
const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
/** Go rounds quantities up to a multiple of one billionth. */
const NANOS_PER_ONE = 10n ** 9n;
/** Go limits quantities with a binary suffix to the largest 64-bit integer. */
const MAX_BINARY_NANOS = (2n ** 63n - 1n) * NANOS_PER_ONE;
/** Quantities with a larger exponent would take too long to compute. */
const MAX_EXPONENT = 100;

/**
 * An amount such as `500m` or `1Gi`: Go's `resource.Quantity`. A quantity is immutable, and exact to one billionth.
 * `toString` and `JSON.stringify` return the canonical text, as the API server stores it.
 *
 *     const total = Quantity.parse('1Gi').add(Quantity.parse('512Mi'));
 *     console.log(String(total), total.compare(Quantity.parse('2Gi'))); // 1536Mi -1
 */
export class Quantity {
  readonly #nanos: bigint;
  readonly #format: QuantityFormat;

  private constructor(nanos: bigint, format: QuantityFormat) {
    this.#nanos = nanos;
    this.#format = format;
  }

  /**
   * Parses a quantity from a text, or from a number in a manifest. Throws a TypeError if the value is not a quantity.
   */
  static parse(value: string | number): Quantity {
    const quantity = Quantity.tryParse(value);
    if (quantity === undefined) {
      throw new TypeError(
        `${JSON.stringify(value)} is not a quantity; use a number with a unit, such as 500m, 2 or 1Gi`,
      );
    }
    return quantity;
  }

  /** Parses a quantity, or returns `undefined` if the value is not a quantity. */
  static tryParse(value: unknown): Quantity | undefined {
    if (typeof value === 'number' ? !Number.isFinite(value) : typeof value !== 'string') return undefined;
    const text = String(value);
    if (!new RegExp(QUANTITY_PATTERN).test(text)) return undefined;
    const { sign = '', whole = '', fraction = '', suffix = '' } = QUANTITY_PARTS_PATTERN.exec(text)?.groups ?? {};
    const unit = parseSuffix(suffix);
    if (unit === undefined) return undefined;
    const digits = BigInt(whole + fraction || '0');
    const nanos = multiplyByPowerOfTen(digits * 1024n ** BigInt(unit.binaryPower), unit.exponent + 9 - fraction.length);
    const isBinary = unit.format === 'BinarySI';
    const limited = isBinary && nanos > MAX_BINARY_NANOS ? MAX_BINARY_NANOS : nanos;
    const format = isBinary && limited < NANOS_PER_ONE && limited > 0n ? 'DecimalSI' : unit.format;
    return new Quantity(sign === '-' ? -limited : limited, format);
  }

  /** Returns the sum. The sum has the format of this quantity, or of the other quantity if this quantity is 0. */
  add(quantity: Quantity): Quantity {
    return new Quantity(this.#nanos + quantity.#nanos, this.#nanos === 0n ? quantity.#format : this.#format);
  }

  /**
   * Returns the difference. The difference has the format of this quantity, or of the other quantity if this quantity
   * is 0.
   */
  subtract(quantity: Quantity): Quantity {
    return new Quantity(this.#nanos - quantity.#nanos, this.#nanos === 0n ? quantity.#format : this.#format);
  }

  /**
   * Multiplies the quantity by an integer, such as a number of replicas. Throws a RangeError if the factor is not an
   * integer.
   */
  multiply(factor: number | bigint): Quantity {
    return new Quantity(this.#nanos * BigInt(factor), this.#format);
  }

  /**
   * Returns -1 if this quantity is less than the other quantity, 0 if both are equal, and 1 if this quantity is
   * greater.
   */
  compare(quantity: Quantity): -1 | 0 | 1 {
    if (this.#nanos === quantity.#nanos) return 0;
    return this.#nanos < quantity.#nanos ? -1 : 1;
  }

  /** Returns the value as an integer, rounded away from zero: Go's `Value()`. For `1Ki`, returns 1024. */
  toBigInt(): bigint {
    return divideRoundingUp(this.#nanos, NANOS_PER_ONE);
  }

  /** Returns the nearest JavaScript number. For `500m`, returns 0.5. */
  toNumber(): number {
    const whole = this.#nanos / NANOS_PER_ONE;
    return Number(whole) + Number(this.#nanos - whole * NANOS_PER_ONE) / 1e9;
  }

  /** Returns the canonical text, which has no fraction and the largest possible suffix. */
  toString(): string {
    const nanos = this.#nanos;
    if (nanos === 0n) return '0';
    const isWhole = nanos % NANOS_PER_ONE === 0n;
    const isSmall = nanos > -1024n * NANOS_PER_ONE && nanos < 1024n * NANOS_PER_ONE;
    if (this.#format === 'BinarySI' && isWhole && !isSmall) return formatBinary(nanos / NANOS_PER_ONE);
    return formatDecimal(nanos, this.#format === 'DecimalExponent');
  }

  /** Returns the canonical text, so that `JSON.stringify` writes the quantity as the API server does. */
  toJSON(): string {
    return this.toString();
  }
}

interface QuantityUnit {
  readonly format: QuantityFormat;
  /** The value of the unit is `1024 ** binaryPower * 10 ** exponent`. */
  readonly binaryPower: number;
  readonly exponent: number;
}

function parseSuffix(suffix: string): QuantityUnit | undefined {
  const binaryPower = suffix === '' ? -1 : BINARY_SUFFIXES.indexOf(suffix);
  if (binaryPower > 0) return { format: 'BinarySI', binaryPower, exponent: 0 };
  const decimal = DECIMAL_SUFFIXES.indexOf(suffix);
  if (decimal >= 0) return { format: 'DecimalSI', binaryPower: 0, exponent: 3 * decimal - 9 };
  const exponent = Number(suffix.slice(1));
  if (Math.abs(exponent) > MAX_EXPONENT) return undefined;
  return { format: 'DecimalExponent', binaryPower: 0, exponent };
}

/** Returns `value * 10 ** exponent`, rounded up. */
function multiplyByPowerOfTen(value: bigint, exponent: number): bigint {
  return exponent >= 0 ? value * 10n ** BigInt(exponent) : divideRoundingUp(value, 10n ** BigInt(-exponent));
}

/** Rounds away from zero, like Go, so that a small amount does not become 0. */
function divideRoundingUp(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  if (quotient * divisor === value) return quotient;
  return value < 0n ? quotient - 1n : quotient + 1n;
}

function formatBinary(value: bigint): string {
  let [rest, power] = [value, 0];
  while (rest % 1024n === 0n && power < BINARY_SUFFIXES.length - 1) {
    rest /= 1024n;
    power++;
  }
  return `${rest}${BINARY_SUFFIXES[power]}`;
}

function formatDecimal(nanos: bigint, hasExponent: boolean): string {
  let [rest, power] = [nanos, 0];
  while (rest % 1000n === 0n && (hasExponent || power < DECIMAL_SUFFIXES.length - 1)) {
    rest /= 1000n;
    power++;
  }
  if (!hasExponent) return `${rest}${DECIMAL_SUFFIXES[power]}`;
  const exponent = 3 * power - 9;
  return exponent === 0 ? String(rest) : `${rest}e${exponent}`;
}
