import { defineTexts } from '../../../language/define-texts';
import { en } from './en';
import { zh } from './zh';

export const useSettingsTexts = defineTexts('settings', en, zh);
