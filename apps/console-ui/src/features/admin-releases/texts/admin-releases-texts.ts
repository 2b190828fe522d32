import { defineTexts } from '../../../language/define-texts';
import { en } from './en';
import { zh } from './zh';

export const useAdminReleasesTexts = defineTexts('admin-releases', en, zh);
