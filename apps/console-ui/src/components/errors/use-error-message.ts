import { type ApiError } from '../../api/api-error';
import { useComponentTexts } from '../component-texts';

/** Says what went wrong and what to do, in the language of the pages. */
export function useErrorMessage(): (error: ApiError) => string {
  const t = useComponentTexts();
  return ({ status, detail, retryAfterSeconds }) => {
    switch (status) {
      case 0:
        return t('error.offline');
      case 402:
        return t('error.payment');
      case 403:
        return t('error.forbidden');
      case 404:
        return t('error.notFound');
      case 429:
        return retryAfterSeconds ? t('error.tooMany', { count: retryAfterSeconds }) : t('error.tooManyNow');
      default:
        if (status < 500) return t('error.refused', { detail });
        return status >= 502 ? t('error.unavailable') : t('error.fault');
    }
  };
}
