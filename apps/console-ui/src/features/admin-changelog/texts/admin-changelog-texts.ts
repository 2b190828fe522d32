import { defineTexts } from '../../../language/define-texts';
import { en } from './en';
import { zh } from './zh';

export const useAdminChangelogTexts = defineTexts('admin-changelog', en, zh);
