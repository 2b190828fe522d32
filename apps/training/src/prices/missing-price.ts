import { ApiException, CODES } from '@inference/training-envelope';

/** 503: no price of training tokens is published under the slug. */
export const tokenPriceMissing = (slug: string) =>
  new ApiException(
    CODES.tokenPriceMissing,
    `no price per_million_tokens alone is published for the slug ${slug}`,
  );

/** 503: no GPU price is published. @param gpu its name, or undefined for the first of the list */
export const gpuPriceMissing = (gpu: string | undefined) =>
  new ApiException(
    CODES.gpuPriceMissing,
    gpu === undefined ? 'no GPU price is published' : `no price is published for the GPU ${gpu}`,
  );

/** 503: no exchange rate to USD is stored. */
export const exchangeRateMissing = () =>
  new ApiException(CODES.exchangeRateMissing, 'no exchange rate to USD is stored');
