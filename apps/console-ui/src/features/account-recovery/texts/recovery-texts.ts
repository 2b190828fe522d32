import { defineTexts } from '../../../language/define-texts';
import { en } from './en';
import { zh } from './zh';

export const useRecoveryTexts = defineTexts('account-recovery', en, zh);
