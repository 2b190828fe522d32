import { defineTexts } from '../../../language/define-texts';
import { en } from './en';
import { zh } from './zh';

export const useAdminPricingTexts = defineTexts('admin-pricing', en, zh);
