import { CodedException, CODES } from '@inference/envelope';

/** What is not published is not made up: 503 until an admin publishes it. */
export const tokenPriceMissing = (slug: string) =>
  new CodedException(
    CODES.tokenPriceMissing,
    `no price per_million_tokens alone is published for the slug ${slug}`,
  );

/** @param gpu by its name, or undefined for the first of the list */
export const gpuPriceMissing = (gpu: string | undefined) =>
  new CodedException(
    CODES.gpuPriceMissing,
    gpu === undefined ? 'no GPU price is published' : `no price is published for the GPU ${gpu}`,
  );

export const exchangeRateMissing = () =>
  new CodedException(CODES.exchangeRateMissing, 'no exchange rate to USD is stored');
