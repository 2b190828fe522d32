import { defineTexts } from '../../../language/define-texts';
import { en } from './en';
import { zh } from './zh';

export const useWalletTexts = defineTexts('wallet', en, zh);
