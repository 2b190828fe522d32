import { defineTexts } from '../../../language/define-texts';
import { en } from './en';
import { zh } from './zh';

export const useCostReportTexts = defineTexts('cost-report', en, zh);
