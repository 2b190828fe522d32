import { defineTexts } from '../../../language/define-texts';
import { en } from './en';
import { zh } from './zh';

export const useAdminRatesTexts = defineTexts('admin-rates', en, zh);
