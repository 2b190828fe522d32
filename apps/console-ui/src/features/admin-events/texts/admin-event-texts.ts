import { defineTexts } from '../../../language/define-texts';
import { en } from './en';
import { zh } from './zh';

export const useAdminEventTexts = defineTexts('admin-events', en, zh);
