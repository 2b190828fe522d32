import { defineTexts } from '../../language/define-texts';
import { en } from './en';
import { zh } from './zh';

export const useComponentTexts = defineTexts('components', en, zh);
