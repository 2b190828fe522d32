import { defineTexts } from '../../../language/define-texts';
import { en } from './en';
import { zh } from './zh';

export const useTrainingTexts = defineTexts('training', en, zh);
