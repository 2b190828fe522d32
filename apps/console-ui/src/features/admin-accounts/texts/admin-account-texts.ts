import { defineTexts } from '../../../language/define-texts';
import { en } from './en';
import { zh } from './zh';

export const useAdminAccountTexts = defineTexts('admin-accounts', en, zh);
