import { ApiError } from './errors';

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The request body as an object. Throws OpenAI's 400 if it is not a JSON object. */
export function parseBody(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError(400, 'We could not parse the JSON body of your request.');
  }
  if (!isObject(value)) throw new ApiError(400, 'The JSON body of your request must be an object.');
  return value;
}

export function missing(param: string): ApiError {
  return new ApiError(400, `Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
}

export function wrongType(param: string, expected: string, value: unknown): ApiError {
  const message = `Invalid type for '${param}': expected ${expected}, but got ${typeName(value)} instead.`;
  return new ApiError(400, message, param, 'invalid_type');
}

export function wrongValue(param: string, value: string, supported: readonly string[]): ApiError {
  const list = supported.map((name) => `'${name}'`).join(', ');
  return new ApiError(
    400,
    `Invalid value: '${value}'. Supported values are: ${list}.`,
    param,
    'invalid_value',
  );
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** The inclusive bounds of an optional number. */
export interface NumberRule {
  name: string;
  integer: boolean;
  min: number;
  max: number;
}

/** The number at `rule.name`, or undefined if it is absent or null. Throws a 400 that names an invalid field. */
export function optionalNumber(body: JsonObject, rule: NumberRule): number | undefined {
  const value = body[rule.name];
  if (value === undefined || value === null) return undefined;
  const kind = rule.integer ? 'integer' : 'decimal';
  if (typeof value !== 'number' || (rule.integer && !Number.isInteger(value))) {
    throw wrongType(rule.name, rule.integer ? 'an integer' : 'a decimal', value);
  }
  if (value >= rule.min && value <= rule.max) return value;
  const [side, sign, bound] =
    value < rule.min ? ['below_min', '>=', rule.min] : ['above_max', '<=', rule.max];
  const message = `Invalid '${rule.name}': ${kind} ${side.replace('_', ' ')}imum value. Expected a value ${sign} ${bound}, but got ${value} instead.`;
  throw new ApiError(400, message, rule.name, `${kind}_${side}_value`);
}

/** The boolean at `name`, or false if it is absent or null. */
export function optionalBoolean(body: JsonObject, name: string): boolean {
  const value = body[name];
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw wrongType(name, 'a boolean', value);
  return value;
}
