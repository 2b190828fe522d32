import { defineTexts } from '../../../language/define-texts';
import { en } from './en';
import { zh } from './zh';

export const useAdminHealthTexts = defineTexts('admin-health', en, zh);
