import { parseExact } from '../../api/exact-json';
import { Figure } from '../../figures/figure';

export type ResponseFormat = 'text' | 'json_object' | 'json_schema';

/** What the settings panel sets, and a preset keeps. Numbers and JSON are texts as they were typed. */
export interface Parameters {
  /** One model, or two side by side. */
  models: string[];
  system: string;
  temperature: string;
  topP: string;
  maxTokens: string;
  /** One stop sequence a line. */
  stop: string;
  seed: string;
  format: ResponseFormat;
  schema: string;
  tools: string;
}

export const DEFAULTS: Parameters = {
  models: [],
  system: '',
  temperature: '',
  topP: '',
  maxTokens: '',
  stop: '',
  seed: '',
  format: 'text',
  schema: '',
  tools: '',
};

/** The most stop sequences that OpenAI's API takes. */
const MOST_STOPS = 4;
const FUNCTION_NAME = /^[\w-]{1,64}$/;
/** A signed number of 64 bits, as engines keep a seed. */
const SEED = /^-?\d{1,18}$/;

/** Nothing, or a number of a range. */
function isBetween(text: string, least: string, most: string): boolean {
  if (text.trim() === '') return true;
  const figure = Figure.parse(text.trim());
  return (
    figure !== undefined && figure.compare(Figure.of(least)) >= 0 && figure.compare(Figure.of(most)) <= 0
  );
}

/** The sequences; `\n`, `\t` and `\\` stand for a line break, a tabulator and a backslash. */
const stopsIn = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) =>
      line.replaceAll(/\\([nt\\])/g, (_all, name: string) => ({ n: '\n', t: '\t' })[name] ?? '\\'),
    );

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Figure);

export interface Fault {
  /** A text of the playground. */
  key:
    | 'temperature.invalid'
    | 'topP.invalid'
    | 'maxTokens.invalid'
    | 'stop.invalid'
    | 'seed.invalid'
    | 'json.invalid'
    | 'schema.noObject'
    | 'schema.empty'
    | 'tools.noList'
    | 'tools.badEntry'
    | 'tools.badName'
    | 'tools.badParameters';
  values?: Record<string, string | number>;
}

type Parsed = { value: unknown } | { fault: Fault };

function parsed(text: string): Parsed {
  try {
    return { value: parseExact(text) };
  } catch (error) {
    return { fault: { key: 'json.invalid', values: { detail: (error as Error).message } } };
  }
}

/** The schema as `response_format` takes it: typed with its name around it, or alone. */
function schemaOf(text: string): Parsed {
  if (text.trim() === '') return { fault: { key: 'schema.empty' } };
  const result = parsed(text);
  if ('fault' in result) return result;
  const { value } = result;
  if (!isObject(value)) return { fault: { key: 'schema.noObject' } };
  const isNamed = typeof value.name === 'string' && isObject(value.schema);
  return { value: isNamed ? value : { name: 'answer', schema: value } };
}

function toolsOf(text: string): Parsed {
  const result = parsed(text);
  if ('fault' in result) return result;
  const { value } = result;
  if (!Array.isArray(value) || value.length === 0) return { fault: { key: 'tools.noList' } };
  for (const [index, tool] of value.entries()) {
    const values = { number: index + 1 };
    if (!isObject(tool) || tool.type !== 'function' || !isObject(tool.function))
      return { fault: { key: 'tools.badEntry', values } };
    const { name, parameters } = tool.function;
    if (typeof name !== 'string' || !FUNCTION_NAME.test(name))
      return { fault: { key: 'tools.badName', values } };
    if (parameters !== undefined && !isObject(parameters))
      return { fault: { key: 'tools.badParameters', values } };
  }
  return { value };
}

/** What is wrong with each parameter; empty if they can be sent. */
export function faultsOf(parameters: Parameters): Partial<Record<keyof Parameters, Fault>> {
  const { temperature, topP, maxTokens, stop, seed, format, schema, tools } = parameters;
  const schemaFault = format === 'json_schema' ? schemaOf(schema) : { value: undefined };
  const toolsFault = tools.trim() === '' ? { value: undefined } : toolsOf(tools);
  return {
    ...(!isBetween(temperature, '0', '2') && { temperature: { key: 'temperature.invalid' } }),
    ...(!isBetween(topP, '0', '1') && { topP: { key: 'topP.invalid' } }),
    ...(!/^(|[1-9]\d{0,6})$/.test(maxTokens.trim()) && { maxTokens: { key: 'maxTokens.invalid' } }),
    ...(stopsIn(stop).length > MOST_STOPS && { stop: { key: 'stop.invalid' } }),
    ...(seed.trim() !== '' && !SEED.test(seed.trim()) && { seed: { key: 'seed.invalid' } }),
    ...('fault' in schemaFault && { schema: schemaFault.fault }),
    ...('fault' in toolsFault && { tools: toolsFault.fault }),
  };
}

const valueOf = (result: Parsed): unknown => ('value' in result ? result.value : undefined);

/** The members of a call's body that the parameters set, besides the model and the messages. What is empty or wrong is left out. */
export function bodyMembers(parameters: Parameters): Record<string, unknown> {
  const { temperature, topP, maxTokens, stop, seed, format, schema, tools } = parameters;
  const stops = stopsIn(stop);
  const jsonSchema = format === 'json_schema' ? valueOf(schemaOf(schema)) : undefined;
  const members = {
    max_tokens: Figure.parse(maxTokens.trim()),
    temperature: Figure.parse(temperature.trim()),
    top_p: Figure.parse(topP.trim()),
    stop: stops.length > 0 ? stops : undefined,
    seed: Figure.parse(seed.trim()),
    response_format:
      format === 'json_object'
        ? { type: format }
        : jsonSchema === undefined
          ? undefined
          : { type: format, json_schema: jsonSchema },
    tools: tools.trim() === '' ? undefined : valueOf(toolsOf(tools)),
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** The parameters with models that are offered: the first one if none of the chosen ones is. */
export function withOfferedModels(parameters: Parameters, offered: string[]): Parameters {
  const models = parameters.models.filter((model) => offered.includes(model));
  return { ...parameters, models: models.length > 0 ? models : offered.slice(0, 1) };
}

/** The parameters of a preset or a stored conversation; what is missing or strange in it has its default. */
export function parametersIn(stored: unknown): Parameters {
  const found = isObject(stored) ? stored : {};
  const entries = Object.entries(DEFAULTS).map(([name, value]) => {
    const kept = found[name];
    const isLike = Array.isArray(value)
      ? Array.isArray(kept) && kept.every((item) => typeof item === 'string')
      : typeof kept === 'string';
    return [name, isLike ? kept : value];
  });
  const parameters = Object.fromEntries(entries) as Parameters;
  const isFormat = ['text', 'json_object', 'json_schema'].includes(parameters.format);
  return { ...parameters, models: parameters.models.slice(0, 2), ...(!isFormat && { format: 'text' }) };
}
