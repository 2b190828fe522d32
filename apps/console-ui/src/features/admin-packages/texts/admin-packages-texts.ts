import { defineTexts } from '../../../language/define-texts';
import { en } from './en';
import { zh } from './zh';

export const useAdminPackagesTexts = defineTexts('admin-packages', en, zh);
