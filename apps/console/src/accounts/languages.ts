import { type Site } from '@inference/config';

export const LANGUAGES = ['en', 'zh-CN'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Language of an account that has chosen none. */
export const SITE_LANGUAGE: Record<Site, Language> = { intl: 'en', cn: 'zh-CN' };
