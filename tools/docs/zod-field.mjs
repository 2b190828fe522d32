/**
 * Reads requirement, default and rules of one environment variable from its zod schema.
 *
 * @typedef {object} Schema the part of a zod schema that is read here
 * @property {{ type: string, innerType?: Schema, in?: Schema, defaultValue?: unknown, entries?: Record<string, string> }} def
 * @property {(value: unknown) => { success: boolean, error?: { issues: { message: string }[] } }} safeParse
 */

/** Invalid values whose messages name the rules of a field. */
const PROBES = ['', '?', '[', '-1', '99999999999999999999999', '[]', '[1]', '{"?": {}}', 'http://a b', 'x,x'];
const OPTIONAL_TYPES = new Set(['optional', 'default', 'prefault']);

/**
 * The schema around which defaults, optionality and transformations are wrapped, outermost first.
 * @param {Schema} schema
 */
function* layersOf(schema) {
  for (
    let layer = /** @type {Schema | undefined} */ (schema);
    layer;
    layer = layer.def.innerType ?? layer.def.in
  )
    yield layer;
}

/** @param {Schema} schema @returns {boolean} whether the variable has to be set */
export function isRequired(schema) {
  return !schema.safeParse(undefined).success;
}

/** @param {Schema} schema @returns {unknown} undefined when there is no default */
export function defaultOf(schema) {
  for (const layer of layersOf(schema)) {
    if (layer.def.type === 'default' || layer.def.type === 'prefault') return layer.def.defaultValue;
  }
  return undefined;
}

/** @param {Schema} schema @returns {string[] | null} the allowed values of an enumeration */
function optionsOf(schema) {
  for (const layer of layersOf(schema)) {
    if (layer.def.type === 'enum') return Object.values(layer.def.entries ?? {});
    if (!OPTIONAL_TYPES.has(layer.def.type)) return null;
  }
  return null;
}

/** @param {Schema} schema @param {unknown} value */
function messagesOf(schema, value) {
  const { error } = schema.safeParse(value);
  return error ? error.issues.map(({ message }) => message) : [];
}

/** Messages of zod itself name no rule. */
const isRule = (/** @type {string} */ message) => /^(must|is no) /.test(message);

/**
 * @param {Schema} schema
 * @returns {string} the allowed values, in the words with which the service refuses others
 */
export function rulesOf(schema) {
  const options = optionsOf(schema);
  if (options) return options.map((option) => `\`${option}\``).join(', ');
  const messages = PROBES.flatMap((probe) => messagesOf(schema, probe)).filter(isRule);
  return [...new Set(messages)].map((message) => message.replace(/^must be /, '')).join('; ');
}
