/**
 * The prices that the first start publishes, in dollars. The prices of the site `cn` are seven times as high, in yuan.
 *
 * @import { Site } from '../settings.mjs'
 * @typedef {{ slug: string, unit: string, price: number }} ModelPrice
 * @typedef {{ name: string, hourly_price: number }} GpuPrice
 */

const YUAN_FACTOR = 7;

/** The exchange rate that the first start publishes; the router's cost report converts yuan to dollars with it. */
export const USD_PER_YUAN = '0.14';

const SANDBOX_PRICES = [
  { slug: 'sandbox-chat', unit: 'per_million_input_tokens', price: 0.5 },
  { slug: 'sandbox-chat', unit: 'per_million_output_tokens', price: 1.5 },
  { slug: 'sandbox-mini', unit: 'per_million_tokens', price: 0.1 },
  { slug: 'sandbox-embed', unit: 'per_million_input_tokens', price: 0.02 },
  { slug: 'sandbox-rerank', unit: 'per_search', price: 0.002 },
  { slug: 'sandbox-image', unit: 'per_image', price: 0.04 },
  { slug: 'sandbox-audio', unit: 'per_audio_minute', price: 0.006 },
  { slug: 'sandbox-speech', unit: 'per_million_characters', price: 15 },
  { slug: 'sandbox-moderation', unit: 'per_million_input_tokens', price: 0.02 },
];

/** The models that the sandbox engine serves. */
export const SANDBOX_MODELS = [...new Set(SANDBOX_PRICES.map(({ slug }) => slug))];

/** A million tokens and an hour of a GPU. */
const TRAINING_PRICE = { token_per_m: 3, gpu_hour: 2.99 };

const GPU_PRICES = [
  { name: 'NVIDIA H100 80GB', hourly_price: 2.99 },
  { name: 'NVIDIA L40S 48GB', hourly_price: 1.09 },
];

/** Rounds to 6 digits, because 7 × 0.02 is not exact in floating point. @param {number} dollars @param {Site} site */
const inCurrency = (dollars, site) => (site === 'cn' ? Number((dollars * YUAN_FACTOR).toFixed(6)) : dollars);

/** Models of the operator's own engine start with the price of `sandbox-chat`. @param {string} slug */
const enginePrices = (slug) => [
  { slug, unit: 'per_million_input_tokens', price: 0.5 },
  { slug, unit: 'per_million_output_tokens', price: 1.5 },
];

/**
 * @param {Site} site
 * @param {string[] | null} engineModels null for the sandbox
 * @returns {ModelPrice[]}
 */
export function modelPrices(site, engineModels) {
  const rows = engineModels ? engineModels.flatMap(enginePrices) : SANDBOX_PRICES;
  return rows.map((row) => ({ ...row, price: inCurrency(row.price, site) }));
}

/** @param {Site} site @returns {GpuPrice[]} */
export const gpuPrices = (site) =>
  GPU_PRICES.map(({ name, hourly_price }) => ({ name, hourly_price: inCurrency(hourly_price, site) }));

/** @param {Site} site */
export const trainingPrice = (site) => ({
  token_per_m: inCurrency(TRAINING_PRICE.token_per_m, site),
  gpu_hour: inCurrency(TRAINING_PRICE.gpu_hour, site),
});
