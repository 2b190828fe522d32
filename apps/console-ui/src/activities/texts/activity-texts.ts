import { defineTexts } from '../../language/define-texts';
import { en } from './en';
import { zh } from './zh';

export const useActivityTexts = defineTexts('activities', en, zh);
