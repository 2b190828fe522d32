/**
 * The prices that a first start publishes, in dollars; a site in yuan asks seven times as many.
 *
 * @typedef {{ slug: string, unit: string, price: number }} ModelPrice
 * @typedef {{ name: string, hourly_price: number }} GpuPrice
 */

const YUAN_FACTOR = 7;

/** Published with the rate below, which turns yuan back into dollars for the router's cost report. */
export const USD_PER_YUAN = '0.14';

const SANDBOX_PRICES = [
  { slug: 'sandbox-chat', unit: 'per_million_input_tokens', price: 0.5 },
  { slug: 'sandbox-chat', unit: 'per_million_output_tokens', price: 1.5 },
  { slug: 'sandbox-mini', unit: 'per_million_tokens', price: 0.1 },
  { slug: 'sandbox-embed', unit: 'per_million_input_tokens', price: 0.02 },
];

/** Charged by the training service; no model has this name. */
const TRAINING_PRICE = {
  slug: process.env.TRAINING_PRICE_SLUG || 'training',
  unit: 'per_million_tokens',
  price: 3,
};

const GPU_PRICES = [
  { name: 'NVIDIA H100 80GB', hourly_price: 2.99 },
  { name: 'NVIDIA L40S 48GB', hourly_price: 1.09 },
];

/** Floating point leaves crumbs (7 × 0.02); a price has none. */
const inCurrency = (dollars, site) => (site === 'cn' ? Number((dollars * YUAN_FACTOR).toFixed(6)) : dollars);

/** An engine of the operator's own is priced like the sandbox's larger model until they publish something better. */
const enginePrices = (slug) => [
  { slug, unit: 'per_million_input_tokens', price: 0.5 },
  { slug, unit: 'per_million_output_tokens', price: 1.5 },
];

/**
 * @param {'intl' | 'cn'} site
 * @param {string[] | null} engineModels null for the sandbox
 * @returns {ModelPrice[]}
 */
export function modelPrices(site, engineModels) {
  const rows = engineModels ? engineModels.flatMap(enginePrices) : SANDBOX_PRICES;
  return [...rows, TRAINING_PRICE].map((row) => ({ ...row, price: inCurrency(row.price, site) }));
}

/** @param {'intl' | 'cn'} site @returns {GpuPrice[]} */
export const gpuPrices = (site) =>
  GPU_PRICES.map(({ name, hourly_price }) => ({ name, hourly_price: inCurrency(hourly_price, site) }));
